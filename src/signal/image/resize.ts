// Resizing by area, bilinear or Lanczos-3 weights, one axis after the other.
import { createPlane, type Plane, type Raster } from "./raster.ts";

/** `area` averages what a pixel covers (for shrinking), `bilinear` is quick and never rings, `lanczos` is sharpest. */
export type ResizeKernel = "area" | "bilinear" | "lanczos";

const LANCZOS_LOBES = 3;

/** A resized copy of every channel, pixel areas aligned (half-pixel centres), edges repeated. `bilinear` takes two taps
 *  whatever the factor; `lanczos` and `area` widen when shrinking, so that nothing aliases. Lanczos may overshoot the
 *  range of the image. Throws RangeError for an empty size. */
export function resize(
  image: Raster,
  size: { widthPx: number; heightPx: number },
  kernel: ResizeKernel = "bilinear",
): Plane {
  if (!(size.widthPx >= 1 && size.heightPx >= 1)) throw new RangeError("an image has at least one pixel");
  const { widthPx, heightPx, channels } = image;
  const columns = contributions(widthPx, size.widthPx, kernel);
  const rows = contributions(heightPx, size.heightPx, kernel);
  const narrowed = createPlane(size.widthPx, heightPx, channels);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < size.widthPx; x++) {
      const { indices, weights } = columns[x];
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let tap = 0; tap < indices.length; tap++) {
          sum += weights[tap] * image.data[(y * widthPx + indices[tap]) * channels + channel];
        }
        narrowed.data[(y * size.widthPx + x) * channels + channel] = sum;
      }
    }
  }
  const resized = createPlane(size.widthPx, size.heightPx, channels);
  const rowValues = size.widthPx * channels;
  for (let y = 0; y < size.heightPx; y++) {
    const { indices, weights } = rows[y];
    for (let value = 0; value < rowValues; value++) {
      let sum = 0;
      for (let tap = 0; tap < indices.length; tap++)
        sum += weights[tap] * narrowed.data[indices[tap] * rowValues + value];
      resized.data[y * rowValues + value] = sum;
    }
  }
  return resized;
}

/** Source pixels that make one output pixel; weights sum to 1. */
interface Contribution {
  indices: number[];
  weights: number[];
}

function contributions(fromPx: number, toPx: number, kernel: ResizeKernel): Contribution[] {
  const ratio = fromPx / toPx;
  const stretch = kernel === "bilinear" ? 1 : Math.max(1, ratio);
  const support = kernel === "lanczos" ? LANCZOS_LOBES * stretch : kernel === "bilinear" ? 1 : ratio / 2 + 0.5;
  return Array.from({ length: toPx }, (_, output) => {
    const centre = (output + 0.5) * ratio - 0.5;
    const indices: number[] = [];
    const weights: number[] = [];
    for (let index = Math.floor(centre - support); index <= Math.ceil(centre + support); index++) {
      const distance = index - centre;
      const weight = kernel === "area" ? overlap(distance, ratio) : tent(kernel, distance / stretch);
      if (weight === 0) continue;
      // Beyond an edge, its pixel counts again.
      const clamped = Math.min(fromPx - 1, Math.max(0, index));
      if (indices.at(-1) === clamped) weights[weights.length - 1] += weight;
      else {
        indices.push(clamped);
        weights.push(weight);
      }
    }
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return { indices, weights: weights.map((weight) => weight / sum) };
  });
}

/** Length shared by a source pixel and an output pixel of `ratio` source pixels, `distance` apart. */
function overlap(distance: number, ratio: number): number {
  const low = Math.max(distance - 0.5, -ratio / 2);
  const high = Math.min(distance + 0.5, ratio / 2);
  return Math.max(0, high - low);
}

function tent(kernel: "bilinear" | "lanczos", distance: number): number {
  const reach = Math.abs(distance);
  if (kernel === "bilinear") return Math.max(0, 1 - reach);
  if (reach < 1e-9) return 1;
  if (reach >= LANCZOS_LOBES) return 0;
  const angle = Math.PI * reach;
  return (LANCZOS_LOBES * Math.sin(angle) * Math.sin(angle / LANCZOS_LOBES)) / (angle * angle);
}
