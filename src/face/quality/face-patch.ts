// Crops the face from a frame for a mouth network, and blends the lower half of its output into the frame.

import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { PixelBox } from "../../signal/image/raster.ts";
import { rgbToYuv, yuvToRgb } from "../../signal/image/yuv.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";

/** The mask begins and is whole at these heights of the face (0 top, 1 bottom): below the eyes, whole at the upper lip.
 *  */
const BEGINS = 0.5;
const WHOLE = 0.62;
/** Soft rim at the sides and the bottom, as a share of the face. */
const RIM = 0.14;

/** One face of one frame size. Allocates nothing while it works. */
export class FacePatch {
  readonly #box: PixelBox;
  readonly #sidePx: number;
  /** Weight of the network's image at each pixel of the box, 0..1. */
  readonly #mask: Float32Array;

  /** `box`: the face in px of the frame, even; `sidePx`: side of the network's image. */
  constructor(box: PixelBox, sidePx: number) {
    this.#box = box;
    this.#sidePx = sidePx;
    this.#mask = new Float32Array(box.widthPx * box.heightPx);
    for (let y = 0; y < box.heightPx; y++) {
      const v = (y + 0.5) / box.heightPx;
      const vertical = smoothstep(v, BEGINS, WHOLE) * smoothstep((1 - v) / RIM);
      for (let x = 0; x < box.widthPx; x++) {
        const u = (x + 0.5) / box.widthPx;
        this.#mask[y * box.widthPx + x] = vertical * smoothstep(Math.min(u, 1 - u) / RIM);
      }
    }
  }

  /** Writes float32 [6 × side × side]: blue, green, red with the lower half black, then whole; 0..1. */
  cut(frame: I420Frame, into: Float32Array): void {
    const side = this.#sidePx;
    const plane = side * side;
    for (let row = 0; row < side; row++) {
      const y = this.#box.y + ((row + 0.5) * this.#box.heightPx) / side - 0.5;
      for (let column = 0; column < side; column++) {
        const x = this.#box.x + ((column + 0.5) * this.#box.widthPx) / side - 0.5;
        const [red, green, blue] = sampleRgb(frame, x, y);
        const at = row * side + column;
        const shown = row < side / 2 ? 1 / 255 : 0;
        into[at] = blue * shown;
        into[plane + at] = green * shown;
        into[2 * plane + at] = red * shown;
        into[3 * plane + at] = blue / 255;
        into[4 * plane + at] = green / 255;
        into[5 * plane + at] = red / 255;
      }
    }
  }

  /** Blends the network's image (float32 [3 × side × side], blue, green, red, 0..1) into the frame's lower face,
   *  `strength` 0..1. */
  paste(frame: I420Frame, face: Float32Array, strength: number): void {
    const { x: left, y: top, widthPx, heightPx } = this.#box;
    const lumaSize = frame.widthPx * frame.heightPx;
    for (let y = Math.floor((BEGINS * heightPx) / 2) * 2; y < heightPx; y++) {
      for (let x = 0; x < widthPx; x++) {
        const share = strength * this.#mask[y * widthPx + x];
        if (share === 0) continue;
        const [luma, u, v] = this.#sampleFace(face, x, y);
        const at = (top + y) * frame.widthPx + left + x;
        frame.data[at] += Math.round(share * (luma - frame.data[at]));
        if (x % 2 || y % 2) continue;
        const chroma = lumaSize + ((top + y) >> 1) * (frame.widthPx >> 1) + ((left + x) >> 1);
        frame.data[chroma] += Math.round(share * (u - frame.data[chroma]));
        const other = chroma + lumaSize / 4;
        frame.data[other] += Math.round(share * (v - frame.data[other]));
      }
    }
  }

  #sampleFace(face: Float32Array, x: number, y: number): [luma: number, u: number, v: number] {
    const side = this.#sidePx;
    const column = ((x + 0.5) * side) / this.#box.widthPx - 0.5;
    const row = ((y + 0.5) * side) / this.#box.heightPx - 0.5;
    const [x0, y0] = [Math.max(0, Math.floor(column)), Math.max(0, Math.floor(row))];
    const [x1, y1] = [Math.min(side - 1, x0 + 1), Math.min(side - 1, y0 + 1)];
    const fx = Math.max(0, column - x0);
    const fy = Math.max(0, row - y0);
    const channel = (index: number) => {
      const start = index * side * side;
      const upper = face[start + y0 * side + x0] * (1 - fx) + face[start + y0 * side + x1] * fx;
      const lower = face[start + y1 * side + x0] * (1 - fx) + face[start + y1 * side + x1] * fx;
      return Math.min(255, Math.max(0, 255 * (upper * (1 - fy) + lower * fy)));
    };
    return rgbToYuv(channel(2), channel(1), channel(0));
  }
}

/** Colour at a position of a frame, 0..255: luma bilinear, chroma of the block. */
function sampleRgb({ data, widthPx, heightPx }: I420Frame, x: number, y: number): [number, number, number] {
  const x0 = Math.min(widthPx - 2, Math.max(0, Math.floor(x)));
  const y0 = Math.min(heightPx - 2, Math.max(0, Math.floor(y)));
  const [fx, fy] = [x - x0, y - y0];
  const at = y0 * widthPx + x0;
  const upper = data[at] * (1 - fx) + data[at + 1] * fx;
  const lower = data[at + widthPx] * (1 - fx) + data[at + widthPx + 1] * fx;
  const lumaSize = widthPx * heightPx;
  const chroma = lumaSize + (Math.round(y) >> 1) * (widthPx >> 1) + (Math.round(x) >> 1);
  const rgb = yuvToRgb(upper * (1 - fy) + lower * fy, data[chroma], data[chroma + lumaSize / 4]);
  return rgb.map((value) => Math.min(255, Math.max(0, value))) as [number, number, number];
}
