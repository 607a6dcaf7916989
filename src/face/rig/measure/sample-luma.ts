// Brightness of an image at any position.
import type { RgbImage } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { luma } from "./rgb.ts";

/** Reused for each sample. */
const SAMPLE = new Float32Array(3);

/** Luma 0..255 between pixels; beyond the edges, that of the nearest one. */
export function sampleLuma(image: RgbImage, x: number, y: number): number {
  sampleBilinear(image, x, y, "replicate", SAMPLE, 0);
  return luma([SAMPLE[0], SAMPLE[1], SAMPLE[2]]);
}
