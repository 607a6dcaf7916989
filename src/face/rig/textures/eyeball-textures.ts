// The eyeballs as a separate layer: they turn with the gaze while lids and lashes stay still.
import { createPlane, type Plane, type RgbImage, toPlane } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { LEFT_EYE, pointAt, RIGHT_EYE } from "../../portrait/face-points.ts";
import { clampTo, raisedBy } from "../measure/eye-frame.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { softEdge } from "./lip-textures.ts";

/** Distance of the opening from the marked margins: lashes cover the upper one, moisture lines the lower one. */
const UPPER_RIM_PX = 0.8;
const LOWER_RIM_PX = 0.6;
/** Within this distance of the margins the photo contains their shadow. */
const RIM_INSET_PX = 1.8;
/** The same under the upper lid, at least, in half eye widths: its lashes are long. */
const UPPER_INSET = 0.13;
/** |u| up to which the white of the eye is extended beyond the opening. */
const MOST_U = 0.92;

/** Where the white beside an iris is taken, in radii of it, and the radius of one that is not known. */
const BESIDE_IRIS = 1.2;
const USUAL_RADIUS = 0.42;

/** All of the region's size. */
export interface EyeballTextures {
  /** RGB 0..255: the photo, with each eyeball extended under the lids. */
  colour: Plane;
  /** 0..1: 1 inside the opening between the lids, and behind the upper lid as far as it can be raised. */
  opening: Plane;
}

export function createEyeballTextures(region: RgbImage, geometry: FaceGeometry): EyeballTextures {
  const { regionPx } = geometry;
  const colour = toPlane(region);
  const opening = createPlane(regionPx, regionPx);
  const whites = new Float32Array(6);
  geometry.eyes.forEach((eye, side) => {
    const { frame } = eye;
    const iris = irisOf(geometry, side);
    const pixel = 1 / frame.unitPx;
    eye.forEachPixelWithin(1.4, regionPx, (at, u, v) => {
      // Behind the upper lid it goes on, for when the lid is raised.
      const upper = eye.upper(u) + UPPER_RIM_PX * pixel - raisedBy(eye, u);
      const lower = eye.lower(u) - LOWER_RIM_PX * pixel;
      const inside = Math.min(v - upper, lower - v) * frame.unitPx;
      if (Math.abs(u) < 1) opening.data[at] = softEdge(inside);
      const shownU = clampTo(u, -MOST_U, MOST_U);
      const top = eye.upper(shownU) + Math.max(RIM_INSET_PX * pixel, UPPER_INSET);
      const bottomAt = (at: number) => Math.max(top, eye.lower(at) - RIM_INSET_PX * pixel);
      const bottom = bottomAt(shownU);
      const sample = (fromU: number, fromV: number, into = colour.data, offset = 3 * at) =>
        sampleBilinear(region, frame.toX(fromU, fromV), frame.toY(fromU, fromV), "replicate", into, offset);
      if (v < top) {
        // An iris is round: what a lid covers above is there below, mirrored at its middle.
        const mirrored = 2 * iris.v - v;
        const beside = BESIDE_IRIS * iris.radius;
        if (mirrored < bottom - pixel || Math.abs(u - iris.u) > beside) {
          sample(shownU, clampTo(mirrored, top, bottom - pixel));
        } else {
          // Beyond it lies the white, as on both sides of it.
          const [left, right] = [iris.u - beside, iris.u + beside].map((at) => clampTo(at, -MOST_U, MOST_U));
          sample(left, (iris.v + bottomAt(left)) / 2, whites, 0);
          sample(right, (iris.v + bottomAt(right)) / 2, whites, 3);
          const share = (u - iris.u + beside) / (2 * beside);
          for (let k = 0; k < 3; k++) colour.data[3 * at + k] = whites[k] + share * (whites[3 + k] - whites[k]);
        }
      } else if (v > bottom || shownU !== u) {
        sample(shownU, clampTo(v > bottom ? 2 * bottom - v : v, top, bottom));
      }
    });
  });
  return { colour, opening };
}

/** Middle and radius of an iris in the frame of its eye; of the opening, if the portrait's points have no irises. */
function irisOf({ points, eyes }: FaceGeometry, side: number): { u: number; v: number; radius: number } {
  const { frame, upper, lower } = eyes[side];
  const { iris } = [LEFT_EYE, RIGHT_EYE][side];
  if (points.length <= 3 * iris) return { u: 0, v: (upper(0) + lower(0)) / 2, radius: USUAL_RADIUS };
  const middle = pointAt(points, iris);
  const edge = pointAt(points, iris + 1);
  return {
    u: clampTo(frame.u(middle.x, middle.y), -0.5, 0.5),
    v: clampTo(frame.v(middle.x, middle.y), upper(0), lower(0)),
    radius: clampTo(Math.hypot(edge.x - middle.x, edge.y - middle.y) / frame.unitPx, 0.2, 0.6),
  };
}
