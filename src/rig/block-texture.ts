// Textures for block sampling: one position per 2 × 2 pixels, all four of them and their chroma in the channels.
import type { PixelBox, Plane } from "../image/raster.ts";
import { rgbToYuv } from "../image/yuv.ts";

export interface BlockTextureParts {
  /** RGB 0..255: six channels, luma at the four places of a block (row by row), then U and V at its middle. BT.601, limited range. */
  colour?: Plane;
  /** 0..1 with edges that matter: four channels each, as luma. */
  sharp?: readonly Plane[];
}

/** Values 0..255 in [channel][row][column] order, one position for every pixel of the box: sampling it at a block's top left pixel gives
 *  the whole block, at any fraction of a pixel. */
export interface Texture {
  values: Float32Array;
  channels: number;
  widthPx: number;
  heightPx: number;
}

/** Luma and chroma planes of a picture, of its size. */
export interface YuvPlanes {
  y: Plane;
  u: Plane;
  v: Plane;
}

/** The four places of a block, as channels run. */
const PLACES = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

export function createBlockTexture(box: PixelBox, parts: BlockTextureParts): Texture {
  const channels: Float32Array[] = [];
  if (parts.colour) {
    const { y, u, v } = toYuvPlanes(parts.colour);
    channels.push(...PLACES.map(([dx, dy]) => shifted(y, box, dx, dy, 1)), middle(u, box), middle(v, box));
  }
  for (const plane of parts.sharp ?? []) channels.push(...PLACES.map(([dx, dy]) => shifted(plane, box, dx, dy, 255)));
  return stack(box, channels);
}

/** A texture for sampling at every pixel: Y, U, V of each colour (RGB 0..255), then one channel for each mask (0..1). */
export function createPixelTexture(box: PixelBox, colours: readonly Plane[], masks: readonly Plane[]): Texture {
  const channels: Float32Array[] = [];
  for (const colour of colours) {
    const { y, u, v } = toYuvPlanes(colour);
    channels.push(...[y, u, v].map((plane) => shifted(plane, box, 0, 0, 1)));
  }
  channels.push(...masks.map((mask) => shifted(mask, box, 0, 0, 255)));
  return stack(box, channels);
}

/** Layers of one size as one texture, to be sampled as a batch. Throws RangeError if they differ. */
export function batchTextures(textures: readonly Texture[]): Texture & { count: number } {
  const [first] = textures;
  const size = first.values.length;
  if (textures.some((texture) => texture.values.length !== size))
    throw new RangeError("layers of a batch differ in size");
  const values = new Float32Array(size * textures.length);
  for (const [index, texture] of textures.entries()) values.set(texture.values, index * size);
  return { ...first, values, count: textures.length };
}

function toYuvPlanes(colour: Plane): YuvPlanes {
  const { widthPx, heightPx } = colour;
  const plane = (): Plane => ({ data: new Float32Array(widthPx * heightPx), widthPx, heightPx, channels: 1 });
  const planes = { y: plane(), u: plane(), v: plane() };
  for (let at = 0; at < widthPx * heightPx; at++) {
    const [y, u, v] = rgbToYuv(colour.data[3 * at], colour.data[3 * at + 1], colour.data[3 * at + 2]);
    planes.y.data[at] = y;
    planes.u.data[at] = u;
    planes.v.data[at] = v;
  }
  return planes;
}

/** The box of a plane, each value taken (dx, dy) pixels further on. */
function shifted(plane: Plane, box: PixelBox, dx: number, dy: number, gain: number): Float32Array {
  const values = new Float32Array(box.widthPx * box.heightPx);
  for (let row = 0; row < box.heightPx; row++) {
    const y = Math.min(plane.heightPx - 1, box.y + row + dy);
    for (let column = 0; column < box.widthPx; column++) {
      const x = Math.min(plane.widthPx - 1, box.x + column + dx);
      values[row * box.widthPx + column] = gain * plane.data[y * plane.widthPx + x];
    }
  }
  return values;
}

function middle(plane: Plane, box: PixelBox): Float32Array {
  const corners = PLACES.map(([dx, dy]) => shifted(plane, box, dx, dy, 1 / 4));
  return corners[0].map((value, index) => value + corners[1][index] + corners[2][index] + corners[3][index]);
}

function stack(box: PixelBox, channels: readonly Float32Array[]): Texture {
  const size = box.widthPx * box.heightPx;
  const values = new Float32Array(size * channels.length);
  for (const [index, channel] of channels.entries()) values.set(channel, index * size);
  return { values, channels: channels.length, widthPx: box.widthPx, heightPx: box.heightPx };
}
