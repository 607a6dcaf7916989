// Detects spectacles by their bridge, because nothing else draws a line across a nose: bags and wrinkles under an eye
// look like a lower rim. Lids then unfold between the rims only, and the mouth moves nothing above the lower rims, so
// that the frame keeps still.

import type { RgbImage } from "../../../signal/image/raster.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { median } from "../../../signal/math/statistics.ts";
import { pointAt } from "../../portrait/face-points.ts";
import { type EyeFrame, reachCurve } from "./eye-frame.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { LocalFrame } from "./local-frame.ts";
import { sampleLuma } from "./sample-luma.ts";

/** Inner corners of the eyes, and the middles of the cheeks. */
const INNER_CORNERS = [133, 362] as const;
const CHEEKS = [50, 280] as const;
/** Columns across the nose that are searched, 1 at the inner corners of the eyes, and how far up and down from their
 *  line, in half eye widths. */
const COLUMNS = [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3];
const SEARCHED = 1;
const STEP = 0.04;
/** Half widths of the bridges that are searched: thin wire to thick plastic. */
const LINE_WIDTHS = [0.07, 0.13, 0.2, 0.3];
/** A bridge differs from both its sides by this share of their brightness, and in the weakest column by the second. Of
 *  forty faces, those without glasses reach 0.17 and 0.12, those with them have 0.30 and 0.26 at least. */
const LINE_CONTRAST = 0.22;
const LEAST_CONTRAST = 0.18;
/** Where an upper rim is searched above the margin, in half eye widths: past its shadow, up to the brow. */
const ABOVE_FROM = 0.14;
const ABOVE_TO = 1.2;
/** Lashes reach no higher than this: what is dark from the margin up to here is a rim. */
const LONGEST_LASHES = 0.34;
/** Where a lower rim is searched below the margin, past bags and wrinkles. */
const BELOW_FROM = 0.3;
const BELOW_TO = 1.7;
/** Columns of an eye in which it is searched, and where it is taken to end if hardly any shows one: rimless lenses. */
const RIM_COLUMNS = [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6];
const LEAST_RIM_COLUMNS = 3;
const RIMLESS = 0.95;
/** How far below a rim the skin begins to move with the mouth, px: a cell of the head's grid; motion is interpolated
 *  between their centres. And over which height it does so more and more, in half eye widths. */
const STILL_BELOW_RIM_PX = 6;
const RIM_FADE = 0.7;
/** Distance between moving skin and the edge of a rim, in half eye widths and px, because a lid's edge fades. */
const RIM_ROOM = 0.03;
const RIM_ROOM_PX = 1.5;
/** Skin behind a lens that is darker than this share of the cheeks is not seen: sunglasses. */
const OPAQUE_BELOW = 0.4;
/** Raised brows would push a frame, so behind spectacles they move by this share. */
const BROW_SHARE = 0.4;

/** The geometry with the lids' motion limited to the inside of a frame, and none behind dark lenses; or the same object
 *  if the face wears no spectacles. Both eyes are treated alike. */
export function fitToGlasses(geometry: FaceGeometry, region: RgbImage): FaceGeometry {
  const frameLuma = bridgeLuma(region, geometry);
  if (frameLuma === null) return geometry;
  const lensLuma = geometry.eyes.map((eye) => median(brightnessBelow(region, eye)));
  const cheekLuma = CHEEKS.map((index) => {
    const { x, y } = pointAt(geometry.points, index);
    return sampleLuma(region, x, y);
  });
  const isOpaque = Math.max(...lensLuma) < OPAQUE_BELOW * Math.max(...cheekLuma);
  const [left, right] = geometry.eyes.map((eye, side): EyeFrame => {
    const room = RIM_ROOM + RIM_ROOM_PX / eye.frame.unitPx;
    // Whatever is nearer to the frame's brightness than to the skin's: the rim, its shadow, or hair of a brow.
    const rimAt = (u: number) => rimDistance(region, eye, u, { frameLuma, skinLuma: lensLuma[side] });
    return {
      ...eye,
      lidReach: reachCurve((u) => Math.min(eye.lidReach(u), rimAt(u) - room)),
      lidTravel: isOpaque ? 0 : eye.lidTravel,
      browShare: BROW_SHARE,
    };
  });
  const [leftBottom, rightBottom] = geometry.eyes.map((eye, side) =>
    rimBottom(region, eye, { frameLuma, skinLuma: lensLuma[side] }),
  );
  return { ...geometry, eyes: [left, right], glasses: { rimBottoms: [leftBottom, rightBottom] } };
}

/** Share, 0..1, of the mouth's movements that the skin at (x, y) follows: none where a frame lies on it. */
export function mouthShareBelowGlasses({ eyes, glasses }: FaceGeometry, x: number, y: number): number {
  if (!glasses) return 1;
  const shares = eyes.map(({ frame }, side) => {
    const below = frame.v(x, y) - glasses.rimBottoms[side] - STILL_BELOW_RIM_PX / frame.unitPx;
    return { u: Math.abs(frame.u(x, y)), share: smoothstep(below / RIM_FADE) };
  });
  // The nearer lens decides, halfway between them both.
  const towardsRight = smoothstep((shares[0].u - shares[1].u + 1) / 2);
  return shares[0].share + towardsRight * (shares[1].share - shares[0].share);
}

/** Brightness of the bridge, or null if none is seen. */
function bridgeLuma(region: RgbImage, { points, eyes }: FaceGeometry): number | null {
  const frame = new LocalFrame(pointAt(points, INNER_CORNERS[0]), pointAt(points, INNER_CORNERS[1]));
  const unit = (eyes[0].frame.unitPx + eyes[1].frame.unitPx) / 2 / frame.unitPx;
  const lines = COLUMNS.map((u) => {
    const brightness = (v: number) => sampleLuma(region, frame.toX(u, v * unit), frame.toY(u, v * unit));
    return strongestLine(brightness);
  });
  const contrasts = lines.map(({ contrast }) => contrast);
  if (median(contrasts) < LINE_CONTRAST || Math.min(...contrasts) < LEAST_CONTRAST) return null;
  return median(lines.map((line) => line.luma));
}

/** The place in one column where the brightness differs most from both sides. */
function strongestLine(brightness: (v: number) => number): { contrast: number; luma: number } {
  let best = { contrast: 0, luma: 0 };
  for (let v = -SEARCHED; v <= SEARCHED; v += STEP) {
    const middle = brightness(v);
    for (const width of LINE_WIDTHS) {
      const sides = [brightness(v - 1.5 * width), brightness(v + 1.5 * width)];
      // The smaller of the two differences counts, because an edge between light and dark is not a line.
      const steps = sides.map((side) => (side - middle) / Math.max(20, (sides[0] + sides[1]) / 2));
      if (steps[0] * steps[1] <= 0) continue;
      const contrast = Math.min(Math.abs(steps[0]), Math.abs(steps[1]));
      if (contrast > best.contrast) best = { contrast, luma: middle };
    }
  }
  return best;
}

/** Distance of the upper rim from the lid's margin at u, in half eye widths: the first place as dark (or bright) as the
 *  frame past the lashes, or the lashes' own end of a rim that touches them. */
function rimDistance(
  region: RgbImage,
  { frame, upper }: EyeFrame,
  u: number,
  { frameLuma, skinLuma }: { frameLuma: number; skinLuma: number },
): number {
  let seesSkin = false;
  for (let distance = 0; distance < ABOVE_TO; distance += STEP / 2) {
    const v = upper(u) - distance;
    const found = sampleLuma(region, frame.toX(u, v), frame.toY(u, v));
    const isFrame = Math.abs(found - frameLuma) < Math.abs(found - skinLuma);
    if (isFrame && seesSkin && distance > ABOVE_FROM) return distance;
    if (isFrame && distance > LONGEST_LASHES) return ABOVE_FROM;
    seesSkin ||= !isFrame;
  }
  return ABOVE_TO;
}

/** v at which the lower rim ends. */
function rimBottom(
  region: RgbImage,
  { frame, lower }: EyeFrame,
  { frameLuma, skinLuma }: { frameLuma: number; skinLuma: number },
): number {
  const ends = RIM_COLUMNS.flatMap((u) => {
    let end: number | null = null;
    for (let distance = BELOW_FROM; distance < BELOW_TO; distance += STEP / 2) {
      const v = lower(u) + distance;
      const found = sampleLuma(region, frame.toX(u, v), frame.toY(u, v));
      if (Math.abs(found - frameLuma) < Math.abs(found - skinLuma)) end = v + STEP / 2;
      else if (end !== null) break;
    }
    return end === null ? [] : [end];
  });
  return ends.length < LEAST_RIM_COLUMNS ? lower(0) + RIMLESS : Math.max(...ends);
}

/** Brightness of the skin close under an eye. */
function brightnessBelow(region: RgbImage, { frame, lower }: EyeFrame): number[] {
  return [-0.6, -0.3, 0, 0.3, 0.6].flatMap((u) =>
    [0.2, 0.28, 0.36].map((below) => {
      const v = lower(u) + below;
      return sampleLuma(region, frame.toX(u, v), frame.toY(u, v));
    }),
  );
}
