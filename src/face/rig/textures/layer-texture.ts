// Texture of a rig layer: luma, chroma and masks.
import { createPlane, type PixelBox, type Plane } from "../../../signal/image/raster.ts";
import { rgbToYuv } from "../../../signal/image/yuv.ts";

/** Values 0..255 in [layer][channel][row][column] order. */
export interface LayerTexture {
  values: Float32Array;
  layers: number;
  channels: number;
  /** How many of the last channels are masks; in these, 255 means 1. */
  maskChannels: number;
  widthPx: number;
  heightPx: number;
}

/** The part of images inside a box, which may extend beyond their edges: Y, U, V (BT.601, limited range) of each colour
 *  (RGB 0..255), then one channel for each mask (0..1). */
export function createLayerTexture(
  box: PixelBox,
  colours: readonly Plane[],
  masks: readonly Plane[] = [],
): LayerTexture {
  const planes = [...colours.flatMap((colour) => toYuvPlanes(colour)), ...masks.map((mask) => scaled(mask, 255))];
  const { widthPx, heightPx } = box;
  const size = widthPx * heightPx;
  const values = new Float32Array(size * planes.length);
  for (const [channel, plane] of planes.entries()) values.set(cut(plane, box), channel * size);
  return { values, layers: 1, channels: planes.length, maskChannels: masks.length, widthPx, heightPx };
}

/** Layers of one kind as one texture, to be sampled as a batch. Throws RangeError if they differ in size. */
export function stackTextures(textures: readonly LayerTexture[]): LayerTexture {
  const [first] = textures;
  const size = first.values.length;
  if (textures.some(({ values }) => values.length !== size)) throw new RangeError("layers of a stack differ in size");
  const values = new Float32Array(size * textures.length);
  for (const [index, texture] of textures.entries()) values.set(texture.values, index * size);
  return { ...first, values, layers: textures.length };
}

function toYuvPlanes({ data, widthPx, heightPx }: Plane): Plane[] {
  const planes = [0, 1, 2].map(() => createPlane(widthPx, heightPx));
  for (let at = 0; at < widthPx * heightPx; at++) {
    const yuv = rgbToYuv(data[3 * at], data[3 * at + 1], data[3 * at + 2]);
    for (const [channel, plane] of planes.entries()) plane.data[at] = yuv[channel];
  }
  return planes;
}

function scaled(plane: Plane, gain: number): Plane {
  return { ...plane, data: plane.data.map((value) => gain * value) };
}

/** The part of a plane inside a box; beyond the plane's edges, its last values are repeated. */
function cut({ data, widthPx, heightPx }: Plane, box: PixelBox): Float32Array {
  const values = new Float32Array(box.widthPx * box.heightPx);
  for (let row = 0; row < box.heightPx; row++) {
    const from = within(box.y + row, heightPx) * widthPx;
    for (let column = 0; column < box.widthPx; column++) {
      values[row * box.widthPx + column] = data[from + within(box.x + column, widthPx)];
    }
  }
  return values;
}

function within(position: number, length: number): number {
  return Math.min(length - 1, Math.max(0, position));
}
