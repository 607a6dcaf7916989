// Colour and outline of the upper lids.
import { inpaint } from "../image/inpaint.ts";
import { createPlane, type Plane, type RgbImage, toPlane } from "../image/raster.ts";
import { sampleBilinear } from "../image/remap.ts";
import { smoothstep } from "../image/smoothstep.ts";
import type { EyeFrame } from "./eye-frame.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { softEdge } from "./lip-textures.ts";
import { luma } from "./portrait-style.ts";

/** Pixels by which the lid reaches past the marked margin: marks sit on the lashes' roots. */
const LASH_PX = 1.2;
/** Where the lashes are looked for, below the marked margin. */
const LASH_OFFSETS_PX = [-2, -1, 0, 0.7];
/** |u| up to which a lid is drawn. */
const LID_HALF_WIDTH = 1.12;
/** Share of the lid's reach, from the margin up, that a closing lid shows as smooth skin. Crease, lashes and make-up are folded there when
 *  the eye is open, and would smear when pulled out. */
const SMOOTHED_SHARE = 0.6;
/** Height of the line of lashes that stays on a closed lid, in half eye widths. */
const LASH_LINE = 0.1;

/** All of the region's size. */
export interface LidTextures {
  /** RGB 0..255: the photo with the lid's margin carried on over the eyeball. */
  openColour: Plane;
  /** The same with the skin above the lashes smoothed, for closed lids. */
  closedColour: Plane;
  /** 0..1, 1 on the lid. */
  alpha: Plane;
}

export function createLidTextures(region: RgbImage, geometry: FaceGeometry): LidTextures {
  const { regionPx } = geometry;
  const openColour = toPlane(region);
  const alpha = createPlane(regionPx, regionPx);
  const folds = createPlane(regionPx, regionPx);
  for (const eye of geometry.eyes) {
    const { frame, lidReach } = eye;
    const pixel = 1 / frame.unitPx;
    forEachPixelNear(eye, regionPx, (x, y, u, v) => {
      const at = y * regionPx + x;
      const upper = eye.upper(u);
      const margin = upper + LASH_PX * pixel;
      const within = smoothstep((LID_HALF_WIDTH - Math.abs(u)) / 0.12) * smoothstep((v - (upper - lidReach)) / 0.12);
      alpha.data[at] = Math.max(alpha.data[at], softEdge((margin - v) * frame.unitPx) * within);
      if (v > upper - 1.5 * pixel && v < eye.lower(u) + 0.5 && Math.abs(u) < 1.1) {
        carryLashes(region, eye, u, openColour, at);
      }
      const isFolded = v > upper - SMOOTHED_SHARE * lidReach && v < eye.lower(u) + 0.12;
      folds.data[at] = isFolded ? 1 : 0;
    });
  }
  const closedColour = inpaint(toPlane(region), folds);
  for (const eye of geometry.eyes) {
    forEachPixelNear(eye, regionPx, (x, y, u, v) => {
      const at = y * regionPx + x;
      // Lashes, and below them their colour carried on; softly into the smooth skin.
      const lash = smoothstep((v - (eye.upper(u) - LASH_LINE)) / LASH_LINE);
      for (let i = 3 * at; i < 3 * at + 3; i++) {
        closedColour.data[i] += lash * (openColour.data[i] - closedColour.data[i]);
      }
    });
  }
  return { openColour, closedColour, alpha };
}

/** Writes the colour of the lashes above u: the darkest about the marked margin, because marks may lie a little on the eyeball, whose
 *  white would hem a closed lid. */
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

/** Calls `visit` for the pixels around an eye, with their place in its frame. */
function forEachPixelNear(
  { frame }: EyeFrame,
  regionPx: number,
  visit: (x: number, y: number, u: number, v: number) => void,
): void {
  const reach = 2.5 * frame.unitPx;
  const from = (centre: number) => Math.max(0, Math.floor(centre - reach));
  const to = (centre: number) => Math.min(regionPx - 1, Math.ceil(centre + reach));
  for (let y = from(frame.centre.y); y <= to(frame.centre.y); y++) {
    for (let x = from(frame.centre.x); x <= to(frame.centre.x); x++) {
      const u = frame.u(x, y);
      if (Math.abs(u) < LID_HALF_WIDTH) visit(x, y, u, frame.v(x, y));
    }
  }
}
