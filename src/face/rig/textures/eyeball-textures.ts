// The eyeballs as a separate layer: they turn with the gaze while lids and lashes stay still.
import { createPlane, type Plane, type RgbImage, toPlane } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { clampTo } from "../measure/eye-frame.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { softEdge } from "./lip-textures.ts";

/** Distance of the opening from the marked margins: lashes cover the upper one, moisture lines the lower one. */
const UPPER_RIM_PX = 0.8;
const LOWER_RIM_PX = 0.6;
/** Within this distance of the margins the photo contains their shadow. */
const RIM_INSET_PX = 1.8;
/** |u| up to which the white of the eye is extended beyond the opening. */
const MOST_U = 0.92;

/** All of the region's size. */
export interface EyeballTextures {
  /** RGB 0..255: the photo, with each eyeball extended under the lids. */
  colour: Plane;
  /** 0..1: 1 inside the opening between the lids. */
  opening: Plane;
}

export function createEyeballTextures(region: RgbImage, geometry: FaceGeometry): EyeballTextures {
  const { regionPx } = geometry;
  const colour = toPlane(region);
  const opening = createPlane(regionPx, regionPx);
  for (const eye of geometry.eyes) {
    const { frame } = eye;
    const pixel = 1 / frame.unitPx;
    eye.forEachPixelWithin(1.4, regionPx, (at, u, v) => {
      const upper = eye.upper(u) + UPPER_RIM_PX * pixel;
      const lower = eye.lower(u) - LOWER_RIM_PX * pixel;
      const inside = Math.min(v - upper, lower - v) * frame.unitPx;
      if (Math.abs(u) < 1) opening.data[at] = softEdge(inside);
      const shownU = clampTo(u, -MOST_U, MOST_U);
      // Mirrored at the rims, so that an iris that touches a lid continues under it.
      const top = eye.upper(shownU) + RIM_INSET_PX * pixel;
      const bottom = Math.max(top, eye.lower(shownU) - RIM_INSET_PX * pixel);
      const shownV = clampTo(v < top ? 2 * top - v : v > bottom ? 2 * bottom - v : v, top, bottom);
      if (shownU === u && shownV === v) return;
      sampleBilinear(region, frame.toX(shownU, shownV), frame.toY(shownU, shownV), "replicate", colour.data, 3 * at);
    });
  }
  return { colour, opening };
}
