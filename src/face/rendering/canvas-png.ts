// The canvas of a bundle as a PNG of its I420 planes, which rendering needs, at half the bytes of RGB.
//
// Grey, as wide as the canvas and one and a half times as high: the luma plane, and under it the chroma planes side by
// side, U on the left.
import { decodeGreyPng, decodePng, readPngHeader } from "../../signal/image/decode-png.ts";
import { createI420Frame, type I420Frame, toI420Frame } from "../../signal/image/i420-frame.ts";
import type { GreyImage } from "../../signal/image/raster.ts";

/** The I420 frame as one grey image. */
export function layOutPlanes({ data, widthPx, heightPx }: I420Frame): GreyImage {
  const grey = new Uint8Array(data.length);
  moveChroma(widthPx, heightPx, (planar, laidOut, count) => grey.set(data.subarray(planar, planar + count), laidOut));
  grey.set(data.subarray(0, widthPx * heightPx));
  return { data: grey, widthPx, heightPx: (heightPx * 3) / 2, channels: 1 };
}

/** The frame in a canvas's PNG, of planes or, in bundles of format version 3, of RGB. Throws
 *  EngineError(bundle-invalid) as `decodePng`. */
export async function decodeCanvas(png: Uint8Array): Promise<I420Frame> {
  if (!readPngHeader(png)?.isGrey) return toI420Frame(await decodePng(png));
  const { data, widthPx, heightPx } = await decodeGreyPng(png);
  const frame = createI420Frame(widthPx, (heightPx * 2) / 3);
  frame.data.set(data.subarray(0, widthPx * frame.heightPx));
  moveChroma(widthPx, frame.heightPx, (planar, laidOut, count) =>
    frame.data.set(data.subarray(laidOut, laidOut + count), planar),
  );
  return frame;
}

/** Calls `move` for each row of U and V with its place in an I420 frame, its place in the laid out frame, and its
 *  length. */
function moveChroma(
  widthPx: number,
  heightPx: number,
  move: (planar: number, laidOut: number, count: number) => void,
): void {
  const lumaSize = widthPx * heightPx;
  const half = widthPx / 2;
  for (let row = 0; row < heightPx / 2; row++) {
    const laidOut = lumaSize + row * widthPx;
    move(lumaSize + row * half, laidOut, half);
    move((lumaSize * 5) / 4 + row * half, laidOut + half, half);
  }
}
