// A video frame as WebRTC and video encoders take it.
import { createRgbImage, type RgbImage } from "./raster.ts";
import { rgbToYuv, yuvToRgb } from "./yuv.ts";

/** I420, BT.601 limited range (Y 16–235, U and V 16–240), planes Y, U, V one after the other without padding: width ×
 *  height × 3 / 2 bytes. Width and height are even. */
export interface I420Frame {
  data: Uint8Array;
  widthPx: number;
  heightPx: number;
}

/** An RGB image as I420. Throws RangeError if its width or height is odd. */
export function toI420Frame(image: RgbImage): I420Frame {
  const { widthPx, heightPx } = image;
  const frame = createI420Frame(widthPx, heightPx);
  const chromaWidth = widthPx / 2;
  const lumaSize = widthPx * heightPx;
  const chromaSize = lumaSize / 4;
  const chroma = new Float32Array(2 * chromaSize);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const at = 3 * (y * widthPx + x);
      const [luma, u, v] = rgbToYuv(image.data[at], image.data[at + 1], image.data[at + 2]);
      frame.data[y * widthPx + x] = Math.round(luma);
      const block = (y >> 1) * chromaWidth + (x >> 1);
      chroma[block] += u / 4;
      chroma[chromaSize + block] += v / 4;
    }
  }
  for (let i = 0; i < chroma.length; i++) frame.data[lumaSize + i] = Math.round(chroma[i]);
  return frame;
}

/** The frame as RGB; each chroma sample serves its four pixels. */
export function i420ToRgb(frame: I420Frame): RgbImage {
  const { data, widthPx, heightPx } = frame;
  const pixels = new Uint8ClampedArray(3 * widthPx * heightPx);
  const lumaSize = widthPx * heightPx;
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const block = lumaSize + (y >> 1) * (widthPx / 2) + (x >> 1);
      const rgb = yuvToRgb(data[y * widthPx + x], data[block], data[block + lumaSize / 4]);
      pixels.set(rgb, 3 * (y * widthPx + x));
    }
  }
  return createRgbImage(widthPx, heightPx, new Uint8Array(pixels.buffer));
}

/** An empty frame (all zeros, which is not black but green). Throws RangeError if a side is odd. */
export function createI420Frame(widthPx: number, heightPx: number): I420Frame {
  if (widthPx % 2 || heightPx % 2) throw new RangeError("an I420 frame must have even sides");
  return { data: new Uint8Array((widthPx * heightPx * 3) / 2), widthPx, heightPx };
}

/** Copies a square of planes into a frame at (x, y), both even: `y` [size × size], `uv` [2, size/2, size/2]; only its
 *  rows from `fromRow` (even) on. Allocates no buffer. */
export function pasteI420(
  frame: I420Frame,
  patch: { y: Uint8Array; uv: Uint8Array },
  place: { x: number; y: number; sizePx: number },
  fromRow = 0,
): void {
  const { data, widthPx, heightPx } = frame;
  const { sizePx } = place;
  const half = sizePx / 2;
  const luma = { data, start: place.y * widthPx + place.x, stride: widthPx };
  copyRows({ data: patch.y, start: 0, stride: sizePx }, luma, { from: fromRow, to: sizePx });
  const lumaSize = widthPx * heightPx;
  const chromaStart = lumaSize + (place.y / 2) * (widthPx / 2) + place.x / 2;
  for (const plane of [0, 1]) {
    const chroma = { data, start: chromaStart + (plane * lumaSize) / 4, stride: widthPx / 2 };
    copyRows({ data: patch.uv, start: plane * half * half, stride: half }, chroma, { from: fromRow / 2, to: half });
  }
}

/** A plane inside a larger buffer. */
interface PlaneView {
  data: Uint8Array;
  /** Index of its first sample. */
  start: number;
  /** Samples from one row to the next. */
  stride: number;
}

/** Copies whole rows of `source` to the same rows of `target`. */
function copyRows(source: PlaneView, target: PlaneView, rows: { from: number; to: number }): void {
  for (let row = rows.from; row < rows.to; row++) {
    const start = source.start + row * source.stride;
    target.data.set(source.data.subarray(start, start + source.stride), target.start + row * target.stride);
  }
}
