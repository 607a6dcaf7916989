// Estimates the person's colours along the outline, where the photo mixes them with the background.
import { createPlane, type Plane } from "../../signal/image/raster.ts";
import { boxMean } from "./guided-filter.ts";

/** Reach of the two rounds: first far, for wide soft edges such as hair, then near. Shares of the longer side. */
const REACHES = [0.03, 0.006];
const LEAST_WEIGHT = 1e-4;

/** Colours F of the foreground for which image = alpha F + (1 − alpha) B, with F and B both smooth: three channels,
 *  0..255. `alpha`: 0..1, one channel. Where alpha is 0 the colours mean nothing. Source: Forte, "Approximate Fast
 *  Foreground Colour Estimation", ICIP 2021. */
export function foregroundColours(image: Plane, alpha: Plane): Plane {
  const { widthPx, heightPx } = image;
  const rest = createPlane(
    widthPx,
    heightPx,
    1,
    alpha.data.map((share) => 1 - share),
  );
  const colours = createPlane(widthPx, heightPx, 3);
  for (let channel = 0; channel < 3; channel++) {
    const own = createPlane(widthPx, heightPx);
    for (let i = 0; i < own.data.length; i++) own.data[i] = image.data[3 * i + channel];
    let front = own;
    let behind = own;
    for (const reach of REACHES) {
      const radiusPx = Math.max(1, Math.round(reach * Math.max(widthPx, heightPx)));
      const meanFront = weightedMean(front, alpha, radiusPx);
      behind = weightedMean(behind, rest, radiusPx);
      front = createPlane(widthPx, heightPx);
      for (let i = 0; i < own.data.length; i++) {
        const share = alpha.data[i];
        const unexplained = own.data[i] - share * meanFront.data[i] - (1 - share) * behind.data[i];
        front.data[i] = Math.min(255, Math.max(0, meanFront.data[i] + share * unexplained));
      }
    }
    for (let i = 0; i < own.data.length; i++) colours.data[3 * i + channel] = front.data[i];
  }
  return colours;
}

/** Mean of one channel around each pixel, by weight. */
function weightedMean(values: Plane, weights: Plane, radiusPx: number): Plane {
  const { widthPx, heightPx } = values;
  const weighted = createPlane(widthPx, heightPx);
  const sums = createPlane(widthPx, heightPx);
  for (let i = 0; i < values.data.length; i++) {
    sums.data[i] = weights.data[i] + LEAST_WEIGHT;
    weighted.data[i] = sums.data[i] * values.data[i];
  }
  const mean = boxMean(weighted, radiusPx);
  const weight = boxMean(sums, radiusPx);
  for (let i = 0; i < mean.data.length; i++) mean.data[i] /= weight.data[i];
  return mean;
}
