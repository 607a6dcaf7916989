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
  return createPlane(widthPx, heightPx, channels, blurColumns(blurRows(plane, x), plane, y));
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

function blurRows({ data, widthPx, heightPx, channels }: Plane, sigma: number): Float32Array {
  const weights = oneSided(gaussianKernel(sigma));
  const radius = weights.length - 1;
  if (radius === 0) return data.slice();
  const blurred = new Float32Array(data.length);
  // A line of one channel with its mirrored ends, so that the inner loop needs no bounds.
  const line = new Float64Array(widthPx + 2 * radius);
  const places = Array.from({ length: line.length }, (_, at) => channels * mirror(at - radius, widthPx));
  for (let row = 0; row < heightPx; row++) {
    for (let channel = 0; channel < channels; channel++) {
      const start = row * widthPx * channels + channel;
      for (let at = 0; at < line.length; at++) line[at] = data[start + places[at]];
      for (let column = 0; column < widthPx; column++) {
        const middle = column + radius;
        let sum = weights[0] * line[middle];
        for (let tap = 1; tap <= radius; tap++) sum += weights[tap] * (line[middle - tap] + line[middle + tap]);
        blurred[start + column * channels] = sum;
      }
    }
  }
  return blurred;
}

/** `data`: of the plane's size. Whole rows are added up: neighbours in memory are then neighbours in the loop. */
function blurColumns(data: Float32Array, { widthPx, heightPx, channels }: Plane, sigma: number): Float32Array {
  const weights = oneSided(gaussianKernel(sigma));
  const radius = weights.length - 1;
  if (radius === 0) return data;
  const stride = widthPx * channels;
  const blurred = new Float32Array(data.length);
  const sums = new Float64Array(stride);
  for (let row = 0; row < heightPx; row++) {
    for (let at = 0; at < stride; at++) sums[at] = weights[0] * data[row * stride + at];
    for (let tap = 1; tap <= radius; tap++) {
      const weight = weights[tap];
      const above = stride * mirror(row - tap, heightPx);
      const below = stride * mirror(row + tap, heightPx);
      for (let at = 0; at < stride; at++) sums[at] += weight * (data[above + at] + data[below + at]);
    }
    blurred.set(sums, row * stride);
  }
  return blurred;
}

/** The weights at offsets 0..radius of a symmetric kernel. */
function oneSided(kernel: Float64Array): Float64Array {
  return kernel.subarray((kernel.length - 1) / 2);
}

/** Folds any index into 0..length−1 by mirroring at the outer edges of the end pixels. */
function mirror(index: number, length: number): number {
  const period = 2 * length;
  const folded = ((index % period) + period) % period;
  return folded < length ? folded : period - 1 - folded;
}
