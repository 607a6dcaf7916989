// Textures inside the graph. The file stores bytes, each pixel once; the tensors for sampling are computed when the
// graph is loaded.
import type { PixelBox } from "../../signal/image/raster.ts";
import type { GraphParts } from "./graph-parts.ts";
import { type RigTensorName, ROUNDING } from "./rig-data.ts";
import { blockTextureBox } from "./rig-shape.ts";

/** Which channels a texture has. */
export interface TextureChannels {
  /** Y, U, V of so many colours. Default 1. */
  colours?: number;
  /** Masks, after the colours. Default 0. */
  masks?: number;
  /** Layers that are sampled as one batch. Default 1. */
  layers?: number;
}

/** The four pixels of a block, in the order of the channels. */
const PLACES = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

/** A texture of the rig's data as float32 [layers, channels, rows, columns]: colours 0..255 with `ROUNDING`, masks
 *  0..1. */
export function storedTexture(parts: GraphParts, name: RigTensorName, box: PixelBox, has: TextureChannels): string {
  const { colours = 1, masks = 0, layers = 1 } = has;
  const { builder } = parts;
  const channels = 3 * colours + masks;
  const bytes = parts.data(name, [layers, channels, box.heightPx, box.widthPx], "uint8");
  const perChannel = (colour: number, mask: number) =>
    builder.constant(
      Array.from({ length: channels }, (_, index) => (index < channels - masks ? colour : mask)),
      [1, channels, 1, 1],
    );
  return parts.add(parts.multiply(bytes, perChannel(1, 1 / 255)), perChannel(ROUNDING, 0));
}

/** A texture for block sampling: one position per 2 × 2 pixels, with all four pixels and their chroma in the channels.
 *  A sample at a block's top left pixel gives the whole block, at any fraction of a pixel: [layers, 6 or 12, h, w],
 *  luma of the four pixels (row by row), U and V at their middle, then the alpha of each of these six. At most one
 *  colour and one mask. */
export function blockTexture(parts: GraphParts, name: RigTensorName, box: PixelBox, has: TextureChannels): string {
  const { colours = 1, masks = 0 } = has;
  const stored = storedTexture(parts, name, blockTextureBox(box), has);
  const places = PLACES.map(([x, y]) => parts.crop(stored, { ...box, x, y }));
  const mean = parts.scaleBy(
    places.reduce((sum, place) => parts.add(sum, place)),
    1 / 4,
  );
  const channel = (from: string, index: number) => parts.channels(from, index, index + 1);
  const atPlaces = (index: number) => places.map((place) => channel(place, index));
  const channels: string[] = [];
  if (colours) channels.push(...atPlaces(0), parts.channels(mean, 1, 3));
  const alphaChannel = 3 * colours;
  if (masks) channels.push(...atPlaces(alphaChannel), channel(mean, alphaChannel), channel(mean, alphaChannel));
  return parts.concat(channels, 1);
}
