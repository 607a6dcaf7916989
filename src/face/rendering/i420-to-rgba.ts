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
const OPAQUE = 0xff000000;
/** What leaves 0..255 is bounded by a table: colours reach from −277 to 536. */
const LEAST = -320;
const BOUNDED = Uint8ClampedArray.from({ length: 960 }, (_, i) => i + LEAST);

/** Writes the frame as opaque RGBA (4 bytes a pixel, rows from the top) into `rgba`; each chroma sample serves its four
 *  pixels. Within one step of the exact conversion. Throws RangeError unless `rgba` has width × height × 4 bytes and
 *  begins at a multiple of 4 of its buffer. */
export function writeRgba({ data, widthPx, heightPx }: I420Frame, rgba: Uint8ClampedArray): void {
  const lumaSize = widthPx * heightPx;
  if (rgba.length !== 4 * lumaSize) throw new RangeError(`the frame needs ${4 * lumaSize} bytes, got ${rgba.length}`);
  // A pixel is one word. Every machine that runs a browser puts its lowest byte, red, first.
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, lumaSize);
  const chromaSize = lumaSize >> 2;
  let chroma = lumaSize;
  for (let y = 0; y < heightPx; y += 2) {
    const upper = y * widthPx;
    for (let at = upper; at < upper + widthPx; at += 2, chroma++) {
      const u = data[chroma] - 128;
      const v = data[chroma + chromaSize] - 128;
      const red = RED_BY_V * v + HALF;
      const green = HALF - GREEN_BY_U * u - GREEN_BY_V * v;
      const blue = BLUE_BY_U * u + HALF;
      pixels[at] = pixelOf(LUMA * (data[at] - 16), red, green, blue);
      pixels[at + 1] = pixelOf(LUMA * (data[at + 1] - 16), red, green, blue);
      const below = at + widthPx;
      pixels[below] = pixelOf(LUMA * (data[below] - 16), red, green, blue);
      pixels[below + 1] = pixelOf(LUMA * (data[below + 1] - 16), red, green, blue);
    }
  }
}

function pixelOf(luma: number, red: number, green: number, blue: number): number {
  return (
    OPAQUE |
    (BOUNDED[((luma + blue) >> 16) - LEAST] << 16) |
    (BOUNDED[((luma + green) >> 16) - LEAST] << 8) |
    BOUNDED[((luma + red) >> 16) - LEAST]
  );
}
