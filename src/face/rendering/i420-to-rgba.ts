// Converts I420 to RGBA for a browser canvas, fast enough for every frame.
import type { I420Frame } from "../../signal/image/i420-frame.ts";

/** Fixed point with 16 bits behind the point; BT.601 limited range. Source: ITU-R BT.601. */
const ONE = 2 ** 16;
const LUMA = Math.round((255 / 219) * ONE);
const RED_BY_V = Math.round(1.402 * (255 / 224) * ONE);
const GREEN_BY_U = Math.round(0.344136 * (255 / 224) * ONE);
const GREEN_BY_V = Math.round(0.714136 * (255 / 224) * ONE);
const BLUE_BY_U = Math.round(1.772 * (255 / 224) * ONE);
const HALF = ONE / 2;

/** Writes the frame as opaque RGBA (4 bytes a pixel, rows from the top) into `rgba`; each chroma sample serves its four
 *  pixels. Within one step of the exact conversion. Throws RangeError unless `rgba` has width × height × 4 bytes. */
export function writeRgba({ data, widthPx, heightPx }: I420Frame, rgba: Uint8ClampedArray): void {
  const lumaSize = widthPx * heightPx;
  if (rgba.length !== 4 * lumaSize) throw new RangeError(`the frame needs ${4 * lumaSize} bytes, got ${rgba.length}`);
  for (let y = 0; y < heightPx; y++) {
    let chroma = lumaSize + (y >> 1) * (widthPx >> 1);
    let from = y * widthPx;
    let to = 4 * from;
    for (let x = 0; x < widthPx; x += 2, chroma++) {
      const u = data[chroma] - 128;
      const v = data[chroma + (lumaSize >> 2)] - 128;
      const red = RED_BY_V * v + HALF;
      const green = HALF - GREEN_BY_U * u - GREEN_BY_V * v;
      const blue = BLUE_BY_U * u + HALF;
      for (let pixel = 0; pixel < 2; pixel++, from++, to += 4) {
        const luma = LUMA * (data[from] - 16);
        // The clamped array bounds what leaves 0..255.
        rgba[to] = (luma + red) >> 16;
        rgba[to + 1] = (luma + green) >> 16;
        rgba[to + 2] = (luma + blue) >> 16;
        rgba[to + 3] = 255;
      }
    }
  }
}
