// Textures inside the graph. The file stores bytes, each pixel once; the tensors for sampling are computed when the
// graph is loaded.
import type { PixelBox, Plane } from "../../image/raster.ts";
import { createLayerTexture, type LayerTexture, ROUNDING, stackTextures } from "../textures/layer-texture.ts";
import type { GraphParts } from "./graph-parts.ts";

/** A layer that is sampled at blocks. */
export interface BlockLayer {
  /** RGB 0..255. */
  colour?: Plane;
  /** 0..1. */
  alpha?: Plane;
}

/** The four pixels of a block, in the order of the channels. */
const PLACES = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

/** A texture as float32 [layers, channels, rows, columns]: colours 0..255 with `ROUNDING`, masks 0..1. */
export function storedTexture(parts: GraphParts, texture: LayerTexture): string {
  const { layers, channels, maskChannels, heightPx, widthPx } = texture;
  const { builder } = parts;
  const bytes = builder.constant(texture.values, [layers, channels, heightPx, widthPx], { storage: "uint8" });
  const perChannel = (colour: number, mask: number) =>
    builder.constant(
      Array.from({ length: channels }, (_, index) => (index < channels - maskChannels ? colour : mask)),
      [1, channels, 1, 1],
    );
  return parts.add(parts.multiply(bytes, perChannel(1, 1 / 255)), perChannel(ROUNDING, 0));
}

/** Layers for block sampling: one position per 2 × 2 pixels, with all four pixels and their chroma in the channels. A
 *  sample at a block's top left pixel gives the whole block, at any fraction of a pixel: [layers, 6 or 12, h, w], luma
 *  of the four pixels (row by row), U and V at their middle, then the alpha of each of these six. */
export function blockTexture(parts: GraphParts, box: PixelBox, layers: readonly BlockLayer[]): string {
  const [{ colour, alpha }] = layers;
  // The pixels reach one pixel beyond the box.
  const around = { ...box, widthPx: box.widthPx + 1, heightPx: box.heightPx + 1 };
  const textures = layers.map((layer) =>
    createLayerTexture(around, layer.colour ? [layer.colour] : [], layer.alpha ? [layer.alpha] : []),
  );
  const stored = storedTexture(parts, stackTextures(textures));
  const places = PLACES.map(([x, y]) => parts.crop(stored, { ...box, x, y }));
  const mean = parts.scaleBy(
    places.reduce((sum, place) => parts.add(sum, place)),
    1 / 4,
  );
  const channel = (from: string, index: number) => parts.channels(from, index, index + 1);
  const atPlaces = (index: number) => places.map((place) => channel(place, index));
  const channels: string[] = [];
  if (colour) channels.push(...atPlaces(0), parts.channels(mean, 1, 3));
  const alphaChannel = colour ? 3 : 0;
  if (alpha) channels.push(...atPlaces(alphaChannel), channel(mean, alphaChannel), channel(mean, alphaChannel));
  return parts.concat(channels, 1);
}
