// Bilinear sampling of an image at arbitrary coordinates.
import type { Raster } from "./raster.ts";

/** Values outside the image: its repeated edge pixels, or zero. */
export type Border = "replicate" | "zero";

/** Writes the image's value at (x, y), one number a channel, to `target` from `offset` on. NaN coordinates count as
 *  0. */
export function sampleBilinear(
  image: Raster,
  x: number,
  y: number,
  border: Border,
  target: Float32Array,
  offset: number,
): void {
  const { data, widthPx, heightPx, channels } = image;
  const left = Math.floor(x) || 0;
  const top = Math.floor(y) || 0;
  const right = left + 1;
  const bottom = top + 1;
  const fx = x - left || 0;
  const fy = y - top || 0;
  let topLeft = (1 - fx) * (1 - fy);
  let topRight = fx * (1 - fy);
  let bottomLeft = (1 - fx) * fy;
  let bottomRight = fx * fy;
  if (border === "zero") {
    const hasLeft = left >= 0 && left < widthPx;
    const hasRight = right >= 0 && right < widthPx;
    const hasTop = top >= 0 && top < heightPx;
    const hasBottom = bottom >= 0 && bottom < heightPx;
    if (!hasLeft || !hasTop) topLeft = 0;
    if (!hasRight || !hasTop) topRight = 0;
    if (!hasLeft || !hasBottom) bottomLeft = 0;
    if (!hasRight || !hasBottom) bottomRight = 0;
  }
  const x0 = clampIndex(left, widthPx);
  const x1 = clampIndex(right, widthPx);
  const y0 = clampIndex(top, heightPx) * widthPx;
  const y1 = clampIndex(bottom, heightPx) * widthPx;
  for (let channel = 0; channel < channels; channel++) {
    target[offset + channel] =
      topLeft * data[(y0 + x0) * channels + channel] +
      topRight * data[(y0 + x1) * channels + channel] +
      bottomLeft * data[(y1 + x0) * channels + channel] +
      bottomRight * data[(y1 + x1) * channels + channel];
  }
}

function clampIndex(index: number, size: number): number {
  return index < 0 ? 0 : index >= size ? size - 1 : index;
}
