// Makes a coarse mask follow the edges of an image.
import { createPlane, type Plane } from "../../signal/image/raster.ts";

export interface GuidedFilterOptions {
  /** Half the side of the windows in which mask and image are compared, px. */
  radiusPx: number;
  /** Variance of the guide, in parts of its range squared, below which an area counts as even. */
  epsilon: number;
}

/** `mask` (one channel, any range) as locally linear functions of `guide` (one channel, 0..1, same size): edges of the
 *  guide become edges of the mask. Throws RangeError if sizes differ. Source: He, Sun, Tang, "Guided Image Filtering",
 *  2013, eqs. 5, 6 and 8. */
export function guidedFilter(mask: Plane, guide: Plane, { radiusPx, epsilon }: GuidedFilterOptions): Plane {
  if (mask.widthPx !== guide.widthPx || mask.heightPx !== guide.heightPx)
    throw new RangeError("the guide differs in size");
  const { widthPx, heightPx } = mask;
  const product = (a: Plane, b: Plane) =>
    createPlane(
      widthPx,
      heightPx,
      1,
      a.data.map((value, i) => value * b.data[i]),
    );
  const mean = (plane: Plane) => boxMean(plane, radiusPx);
  const guideMean = mean(guide);
  const maskMean = mean(mask);
  const squares = mean(product(guide, guide));
  const products = mean(product(guide, mask));
  const slope = createPlane(widthPx, heightPx);
  const offset = createPlane(widthPx, heightPx);
  for (let i = 0; i < slope.data.length; i++) {
    const variance = squares.data[i] - guideMean.data[i] ** 2;
    slope.data[i] = (products.data[i] - guideMean.data[i] * maskMean.data[i]) / (variance + epsilon);
    offset.data[i] = maskMean.data[i] - slope.data[i] * guideMean.data[i];
  }
  const slopeMean = mean(slope);
  const filtered = mean(offset);
  for (let i = 0; i < filtered.data.length; i++) filtered.data[i] += slopeMean.data[i] * guide.data[i];
  return filtered;
}

/** Means over squares of 2 radius + 1 pixels, cut off at the edges. Running sums make the cost independent of the
 *  radius. One channel. */
export function boxMean(plane: Plane, radiusPx: number): Plane {
  const { widthPx, heightPx } = plane;
  const across = meanAlong(plane.data, { lines: heightPx, lineStep: widthPx, length: widthPx, step: 1 }, radiusPx);
  const both = meanAlong(across, { lines: widthPx, lineStep: 1, length: heightPx, step: widthPx }, radiusPx);
  return createPlane(widthPx, heightPx, 1, both);
}

function meanAlong(
  values: Float32Array,
  axis: { lines: number; lineStep: number; length: number; step: number },
  radius: number,
): Float32Array {
  const means = new Float32Array(values.length);
  for (let line = 0; line < axis.lines; line++) {
    const start = line * axis.lineStep;
    let sum = 0;
    for (let i = 0; i < Math.min(radius, axis.length); i++) sum += values[start + i * axis.step];
    for (let i = 0; i < axis.length; i++) {
      if (i + radius < axis.length) sum += values[start + (i + radius) * axis.step];
      if (i > radius) sum -= values[start + (i - radius - 1) * axis.step];
      means[start + i * axis.step] = sum / (Math.min(axis.length - 1, i + radius) - Math.max(0, i - radius) + 1);
    }
  }
  return means;
}
