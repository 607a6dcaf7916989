// Colour and outline of the upper lids.
import { gaussianBlur } from "../../image/gaussian-blur.ts";
import { inpaint } from "../../image/inpaint.ts";
import { createPlane, type Plane, type RgbImage, toPlane } from "../../image/raster.ts";
import { sampleBilinear } from "../../image/sample-bilinear.ts";
import { smoothstep } from "../../math/smoothstep.ts";
import { clampTo, type EyeFrame } from "../measure/eye-frame.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { luma } from "../measure/rgb.ts";
import { softEdge } from "./lip-textures.ts";

/** Pixels by which the lid extends past the marked margin, because the marks are at the roots of the lashes. */
const LASH_PX = 1.2;
/** Offsets below the marked margin at which lashes are searched. */
const LASH_OFFSETS_PX = [-2, -1, 0, 0.7];
/** |u| up to which a lid is rendered: past the corners, where lashes end in a dark wing that must disappear when the
 *  eye closes. */
const LID_HALF_WIDTH = 1.4;
/** The same behind spectacles, because of their rims. */
const LID_HALF_WIDTH_IN_GLASSES = 1.15;
/** Share of the lid's height, from the margin up, that a closing lid renders as smooth skin. In the open eye, crease,
 *  lashes and make-up are folded there; stretching them would smear. */
const SMOOTHED_SHARE = 0.6;
/** Height of the line of lashes on a closed lid, in half eye widths. */
const LASH_LINE = 0.1;
/** A lid's skin is thin and lies a little back from the brow: darker and redder than the surrounding skin, by this
 *  factor per channel. */
const LID_TINT = [0.97, 0.92, 0.9] as const;
/** Darkening of a closed lid at its fold and towards its corners, where the eyeball curves away. */
const FOLD_SHADE = 0.08;
const CORNER_SHADE = 0.06;
/** Scale of the skin grain, px. */
const GRAIN_SIGMA_PX = 2;

/** All of the region's size. */
export interface LidTextures {
  /** RGB 0..255: the photo with the lid's margin extended over the eyeball. */
  openColour: Plane;
  /** The same for closed lids: unfolded skin, and the line of lashes. */
  closedColour: Plane;
  /** 0..1, 1 on the lid of the left and of the right eye in the image. */
  alphas: readonly [Plane, Plane];
}

export function createLidTextures(region: RgbImage, geometry: FaceGeometry): LidTextures {
  const { regionPx } = geometry;
  const halfWidth = lidHalfWidth(geometry);
  const openColour = toPlane(region);
  const alphas = [createPlane(regionPx, regionPx), createPlane(regionPx, regionPx)] as const;
  const folds = createPlane(regionPx, regionPx);
  geometry.eyes.forEach((eye, side) => {
    const { data } = alphas[side];
    const { frame, lidReach } = eye;
    const pixel = 1 / frame.unitPx;
    eye.forEachPixelWithin(halfWidth, regionPx, (at, u, v) => {
      const upper = eye.upper(u);
      const margin = upper + LASH_PX * pixel;
      const sides = smoothstep((halfWidth - Math.abs(u)) / 0.15);
      const within = sides * smoothstep((v - (upper - lidReach)) / 0.12);
      // Past the corner the lid also covers the area below the margin, so that the wing of lashes can be painted over.
      const past = smoothstep((Math.abs(u) - 1) / 0.06) * smoothstep((0.3 - v + upper) / 0.1);
      data[at] = Math.max(softEdge((margin - v) * frame.unitPx), past) * within;
      if (v > upper - 1.5 * pixel && v < eye.lower(u) + 0.5 && Math.abs(u) < 1.02) {
        carryLashes(region, eye, u, openColour, at);
      }
      if (isFolded(eye, u, v)) folds.data[at] = 1;
    });
  });
  const closedColour = inpaint(toPlane(region), folds);
  const grain = grainOf(region);
  for (const eye of geometry.eyes) paintClosedLid(eye, geometry, { openColour, closedColour, grain });
  return { openColour, closedColour, alphas };
}

function lidHalfWidth({ hasGlasses }: FaceGeometry): number {
  return hasGlasses ? LID_HALF_WIDTH_IN_GLASSES : LID_HALF_WIDTH;
}

/** Skin that is hidden, compressed or covered by lashes while the eye is open. */
function isFolded(eye: EyeFrame, u: number, v: number): boolean {
  const side = Math.abs(u);
  const upper = eye.upper(u);
  if (side < 1.1) return v > upper - SMOOTHED_SHARE * eye.lidReach && v < eye.lower(u) + 0.12;
  const wing = 1 - smoothstep((side - 1.1) / 0.25);
  return v > upper - 0.5 * wing && v < upper + 0.16 * wing && wing > 0.05;
}

/** Unfolded, lit skin with the grain of the skin under the eye, and the line of lashes. */
function paintClosedLid(
  eye: EyeFrame,
  geometry: FaceGeometry,
  { openColour, closedColour, grain }: { openColour: Plane; closedColour: Plane; grain: RgbSampler },
): void {
  const { frame, lidReach } = eye;
  const speckle = new Float32Array(3);
  eye.forEachPixelWithin(lidHalfWidth(geometry), geometry.regionPx, (at, u, v) => {
    if (!isFolded(eye, u, v)) return;
    const upper = eye.upper(u);
    // 0 at the upper end of the smooth skin, 1 at the margin.
    const down = clampTo(1 + (v - upper) / (SMOOTHED_SHARE * lidReach), 0, 1);
    const sides = 1 - smoothstep((Math.abs(u) - 0.8) / 0.3);
    const share = smoothstep(down / 0.6) * sides;
    const fold = Math.exp(-(((down - 0.3) / 0.18) ** 2)) * sides;
    const shade = 1 - FOLD_SHADE * fold - CORNER_SHADE * share * Math.min(1, u * u);
    // The skin as far below the eye as this is above it.
    const belowV = eye.lower(clampTo(u, -1, 1)) + 0.3 + (upper - v);
    grain(frame.toX(u, belowV), frame.toY(u, belowV), speckle);
    // Lashes, and their colour below them, blended into the smooth skin.
    const lash = smoothstep((v - (upper - LASH_LINE)) / LASH_LINE) * smoothstep((1.04 - Math.abs(u)) / 0.1);
    for (let channel = 0; channel < 3; channel++) {
      const i = 3 * at + channel;
      const skin = closedColour.data[i] * shade * (1 + share * (LID_TINT[channel] - 1)) + speckle[channel];
      closedColour.data[i] = skin + lash * (openColour.data[i] - skin);
    }
  });
}

type RgbSampler = (x: number, y: number, out: Float32Array) => void;

/** Samples the details of an image that are finer than `GRAIN_SIGMA_PX`. */
function grainOf(region: RgbImage): RgbSampler {
  const plane = toPlane(region);
  const smooth = gaussianBlur(plane, GRAIN_SIGMA_PX);
  const { widthPx, heightPx } = plane;
  return (x, y, out) => {
    const column = clampTo(Math.round(x), 0, widthPx - 1);
    const row = clampTo(Math.round(y), 0, heightPx - 1);
    const at = 3 * (row * widthPx + column);
    for (let channel = 0; channel < 3; channel++) {
      // Lines and hairs are not grain.
      out[channel] = clampTo(plane.data[at + channel] - smooth.data[at + channel], -8, 8);
    }
  };
}

/** Writes the colour of the lashes above u: the darkest near the marked margin, because marks may lie partly on the
 *  eyeball, and its white would be visible along a closed lid. */
function carryLashes(region: RgbImage, { frame, upper }: EyeFrame, u: number, target: Plane, at: number): void {
  const sampled = new Float32Array(3);
  let darkest = Number.POSITIVE_INFINITY;
  for (const offsetPx of LASH_OFFSETS_PX) {
    const v = upper(u) + offsetPx / frame.unitPx;
    sampleBilinear(region, frame.toX(u, v), frame.toY(u, v), "replicate", sampled, 0);
    const brightness = luma([sampled[0], sampled[1], sampled[2]]);
    if (brightness >= darkest) continue;
    darkest = brightness;
    target.data.set(sampled, 3 * at);
  }
}
