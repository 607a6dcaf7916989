// Halved copies of an image, so that small crops of large images do not alias.
import { type Affine, warpAffine } from "./affine.ts";
import { createRgbImage, type Plane, type RgbImage } from "./raster.ts";
import type { Border } from "./sample-bilinear.ts";

/** Level 0 is the image; each further level has half the width and height. */
export type ImagePyramid = readonly RgbImage[];

/** Minimum side of the last level, px. */
const SMALLEST_SIDE_PX = 64;

/** An image with its halved copies (each pixel the mean of four). */
export function buildPyramid(image: RgbImage): ImagePyramid {
  const levels = [image];
  for (let level = image; Math.min(level.widthPx, level.heightPx) >= 2 * SMALLEST_SIDE_PX; ) {
    level = halve(level);
    levels.push(level);
  }
  return levels;
}

/** As `warpAffine` on the image itself, but read from the level at which neighbouring output pixels are one to two
 *  pixels apart. */
export function warpPyramid(
  pyramid: ImagePyramid,
  outputToImage: Affine,
  size: { widthPx: number; heightPx: number },
  border: Border = "replicate",
): Plane {
  const { a, b, tx, c, d, ty } = outputToImage;
  const stepPx = Math.sqrt(Math.abs(a * d - b * c));
  const level = Math.min(pyramid.length - 1, Math.max(0, Math.floor(Math.log2(stepPx))));
  const scale = 1 / 2 ** level;
  // Pixel centres: x of the image is (x + 1/2) scale − 1/2 of the level.
  const toLevel = (offset: number): number => (offset + 0.5) * scale - 0.5;
  const outputToLevel = { a: a * scale, b: b * scale, tx: toLevel(tx), c: c * scale, d: d * scale, ty: toLevel(ty) };
  return warpAffine(pyramid[level], outputToLevel, size, border);
}

function halve(image: RgbImage): RgbImage {
  const widthPx = image.widthPx >> 1;
  const heightPx = image.heightPx >> 1;
  const half = createRgbImage(widthPx, heightPx);
  const rowValues = image.widthPx * 3;
  let to = 0;
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const from = 2 * y * rowValues + 6 * x;
      for (let channel = from; channel < from + 3; channel++) {
        const sum =
          image.data[channel] +
          image.data[channel + 3] +
          image.data[channel + rowValues] +
          image.data[channel + rowValues + 3];
        half.data[to++] = (sum + 2) >> 2;
      }
    }
  }
  return half;
}
