// Gaussian blur of float planes, and its kernel.
import { createPlane, type Plane } from "./raster.ts";

/** Standard deviation in pixels, for both axes or each; 0 leaves an axis alone. */
export type BlurSigma = number | { x: number; y: number };

/** Kernel half-width in standard deviations: what lies beyond four weighs less than 1e-4. */
const TRUNCATION = 4;

/** A blurred copy. Every channel apart; edges mirror with the edge pixel repeated (d c b a | a b c d | d c b a), so
 *  that a constant stays constant. Throws RangeError for a negative sigma. */
export function gaussianBlur(plane: Plane, sigma: BlurSigma): Plane {
  const { x, y } = typeof sigma === "number" ? { x: sigma, y: sigma } : sigma;
  const { widthPx, heightPx, channels } = plane;
  const rowStride = widthPx * channels;
  const alongRows = blurAxis(plane.data, x, {
    length: widthPx,
    step: channels,
    lines: heightPx,
    lineStep: rowStride,
    channels,
  });
  // Columns are walked as lines whose "channels" are a whole row: neighbours in memory are then neighbours in the loop.
  const both = blurAxis(alongRows, y, {
    length: heightPx,
    step: rowStride,
    lines: 1,
    lineStep: 0,
    channels: rowStride,
  });
  return createPlane(widthPx, heightPx, channels, both);
}

/** Normalised weights at offsets −radius..radius, radius = round(4 sigma). */
export function gaussianKernel(sigma: number): Float64Array {
  if (!(sigma >= 0)) throw new RangeError(`sigma must not be negative, got ${sigma}`);
  const radius = Math.floor(TRUNCATION * sigma + 0.5);
  const kernel = new Float64Array(2 * radius + 1);
  if (radius === 0) return kernel.fill(1);
  let sum = 0;
  for (let offset = -radius; offset <= radius; offset++) {
    kernel[offset + radius] = Math.exp(-0.5 * (offset / sigma) ** 2);
    sum += kernel[offset + radius];
  }
  return kernel.map((weight) => weight / sum);
}

/** Where samples lie: `length` of them `step` apart, in `lines` lines `lineStep` apart, `channels` side by side. */
interface Axis {
  length: number;
  step: number;
  lines: number;
  lineStep: number;
  channels: number;
}

function blurAxis(source: Float32Array, sigma: number, axis: Axis): Float32Array {
  const kernel = gaussianKernel(sigma);
  if (kernel.length === 1) return source.slice();
  const radius = (kernel.length - 1) / 2;
  const blurred = new Float32Array(source.length);
  const sums = new Float64Array(axis.channels);
  for (let line = 0; line < axis.lines; line++) {
    for (let position = 0; position < axis.length; position++) {
      sums.fill(0);
      for (let tap = 0; tap < kernel.length; tap++) {
        const from = line * axis.lineStep + mirror(position + tap - radius, axis.length) * axis.step;
        const weight = kernel[tap];
        for (let channel = 0; channel < axis.channels; channel++) sums[channel] += weight * source[from + channel];
      }
      blurred.set(sums, line * axis.lineStep + position * axis.step);
    }
  }
  return blurred;
}

/** Folds any index into 0..length−1 by mirroring at the outer edges of the end pixels. */
function mirror(index: number, length: number): number {
  const period = 2 * length;
  const folded = ((index % period) + period) % period;
  return folded < length ? folded : period - 1 - folded;
}
