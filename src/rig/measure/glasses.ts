// Detects spectacles by their rims under the eyes, where a face has no line, so that lids and brows do not move the
// frame. Frames without a lower rim, or as bright as the skin, are not detected.
import type { RgbImage } from "../../image/raster.ts";
import { sampleBilinear } from "../../image/sample-bilinear.ts";
import { median } from "../../math/statistics.ts";
import type { EyeFrame } from "./eye-frame.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { luma } from "./rgb.ts";

/** Columns that are searched, in half eye widths from the middle. */
const COLUMNS = [-0.6, -0.45, -0.3, -0.15, 0, 0.15, 0.3, 0.45, 0.6];
/** Distance from the lower margin at which a lower rim may lie, in half eye widths. */
const BELOW_FROM = 0.35;
const BELOW_TO = 2.2;
/** Distance from the upper margin: from the crease up to the brow. */
const ABOVE_FROM = 0.3;
const ABOVE_TO = 1.3;
const STEP = 0.04;
/** Half widths of the rims that are searched: thin wire to thick plastic. */
const LINE_WIDTHS = [0.07, 0.13];
/** A rim differs from both its sides by at least this share of their brightness. Wrinkles and bags under the eyes reach
 *  half of it. */
const LINE_CONTRAST = 0.22;
/** Share of the columns that must contain the rim, and how far each may be from a smooth curve, measured against both
 *  neighbours. */
const COLUMN_SHARE = 0.75;
const UNEVENNESS = 0.12;
/** Distance between moving skin and the middle of a rim: half a rim, plus the pixels over which a lid's edge fades. */
const RIM_ROOM = 0.1;
const RIM_ROOM_PX = 1.2;
const LEAST_REACH = 0.22;
/** Maximum height of a frame above an eye, as a share of its depth below the eye. A brow can hide the upper rim. */
const UPPER_TO_LOWER = 0.85;
/** Raised brows would push a frame, so behind spectacles they move by this share. */
const BROW_SHARE = 0.4;

/** The geometry with eye motion limited to the inside of a frame, or the same object if the face wears no
 *  spectacles. */
export function fitToGlasses(geometry: FaceGeometry, region: RgbImage): FaceGeometry {
  const lower = geometry.eyes.map((eye) => rimDistance(region, eye, "below"));
  // Required at both eyes; a rim at one eye only is a shadow or a scar.
  if (lower.some((distance) => distance === null)) return geometry;
  const eyes = geometry.eyes.map((eye, side): EyeFrame => {
    const room = RIM_ROOM + RIM_ROOM_PX / eye.frame.unitPx;
    const below = lower[side] ?? BELOW_TO;
    const above = Math.min(rimDistance(region, eye, "above") ?? ABOVE_TO, UPPER_TO_LOWER * below);
    return {
      ...eye,
      lidReach: Math.max(LEAST_REACH, Math.min(eye.lidReach, above - room)),
      squeezeReach: Math.min(eye.squeezeReach, below - room),
      browShare: BROW_SHARE,
    };
  });
  return { ...geometry, eyes: [eyes[0], eyes[1]], hasGlasses: true };
}

/** Distance of a rim from the lid's margin in half eye widths, or null if there is none. */
function rimDistance(region: RgbImage, eye: EyeFrame, where: "above" | "below"): number | null {
  const found = COLUMNS.map((u) => strongestLine(region, eye, u, where));
  const strong = found.filter((line) => line.contrast > LINE_CONTRAST);
  if (strong.length < COLUMN_SHARE * COLUMNS.length) return null;
  let even = 0;
  for (let i = 1; i < found.length - 1; i++) {
    const bend = found[i].distance - (found[i - 1].distance + found[i + 1].distance) / 2;
    if (found[i].contrast > LINE_CONTRAST && Math.abs(bend) < UNEVENNESS) even++;
  }
  if (even < COLUMN_SHARE * (found.length - 2)) return null;
  const distances = strong.map(({ distance }) => distance);
  return where === "above" ? Math.min(...distances) : median(distances);
}

/** The place in one column where the brightness differs most from both sides, as at a rim. */
function strongestLine(region: RgbImage, eye: EyeFrame, u: number, where: "above" | "below") {
  const { frame } = eye;
  const brightness = (v: number) => {
    sampleBilinear(region, frame.toX(u, v), frame.toY(u, v), "replicate", SAMPLE, 0);
    return luma([SAMPLE[0], SAMPLE[1], SAMPLE[2]]);
  };
  const margin = where === "below" ? eye.lower(u) : eye.upper(u);
  const direction = where === "below" ? 1 : -1;
  const [from, to] = where === "below" ? [BELOW_FROM, BELOW_TO] : [ABOVE_FROM, ABOVE_TO];
  let best = { distance: from, contrast: 0 };
  for (let distance = from; distance <= to; distance += STEP) {
    const v = margin + direction * distance;
    for (const width of LINE_WIDTHS) {
      const sides = [brightness(v - 1.5 * width), brightness(v + 1.5 * width)];
      const middle = brightness(v);
      // The smaller of the two differences counts, because an edge between light and dark is not a rim.
      const steps = sides.map((side) => (side - middle) / Math.max(20, (sides[0] + sides[1]) / 2));
      if (steps[0] * steps[1] <= 0) continue;
      const contrast = Math.min(Math.abs(steps[0]), Math.abs(steps[1]));
      if (contrast > best.contrast) best = { distance, contrast };
    }
  }
  return best;
}

/** Reused for each sample. */
const SAMPLE = new Float32Array(3);
