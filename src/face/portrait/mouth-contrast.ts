// Whether lips are seen where the mouth should be.
import type { RgbImage } from "../../signal/image/raster.ts";
import { sampleBilinear } from "../../signal/image/sample-bilinear.ts";
import { LEFT_EYE, RIGHT_EYE } from "./face-points.ts";
import { LOWER_LIP_OUTER, UPPER_LIP_OUTER } from "./mesh-points.ts";

const SAMPLES = 16;
/** Grey levels: dark lenses may show nothing at all. */
const MIN_EYE_CONTRAST = 0.5;

/** Contrast of the brightness across the lips as a part of that across the eyes, which share light and exposure. Lips
 *  from 0.69 in photographs and paintings and from 0.35 in drawings; 0 to 0.55 under a mask; over 15 if dark lenses
 *  hide the eyes. `points`: x, y, z each, px. */
export function mouthContrast(image: RgbImage, points: Float32Array): number {
  const inner = <T>(line: readonly T[]): readonly T[] => line.slice(1, -1);
  const eyes = [LEFT_EYE, RIGHT_EYE].map(({ upper, lower }) => variance(image, points, inner(upper), inner(lower)));
  const eye = Math.sqrt((eyes[0] + eyes[1]) / 2);
  // Near the corners lips are too thin to show anything.
  const mouth = variance(image, points, UPPER_LIP_OUTER.slice(2, -2), LOWER_LIP_OUTER.slice(2, -2));
  return Math.sqrt(mouth) / Math.max(eye, MIN_EYE_CONTRAST);
}

/** Mean variance of the brightness along the straight lines from `from` to `to`, grey levels squared. */
function variance(image: RgbImage, points: Float32Array, from: readonly number[], to: readonly number[]): number {
  const pixel = new Float32Array(3);
  let total = 0;
  for (const [i, first] of from.entries()) {
    const [x, y] = [points[3 * first], points[3 * first + 1]];
    const [dx, dy] = [points[3 * to[i]] - x, points[3 * to[i] + 1] - y];
    let sum = 0;
    let squares = 0;
    for (let step = 0; step < SAMPLES; step++) {
      const share = step / (SAMPLES - 1);
      sampleBilinear(image, x + share * dx, y + share * dy, "replicate", pixel, 0);
      const luma = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
      sum += luma;
      squares += luma * luma;
    }
    total += Math.max(0, squares / SAMPLES - (sum / SAMPLES) ** 2);
  }
  return total / from.length;
}
