// The mouth interior of a rig graph: teeth and tongue in front of the dark cavity.
import { rgbToYuv } from "../../image/yuv.ts";
import type { RigParts } from "../rig-parts.ts";
import { ROUNDING } from "../textures/layer-texture.ts";
import { interiorGrid } from "./graph-displacement.ts";
import { blockStarts, type GraphParts } from "./graph-parts.ts";
import { blockTexture } from "./graph-texture.ts";

/** Channels of a block: four lumas, U, V. */
const BLOCK_CHANNELS = 6;

/** Teeth and tongue over the dark cavity, at blocks of the interior's box [1, 6, h/2, w/2]. They move as flat boards,
 *  so blocks are exact. */
export function renderInterior(parts: GraphParts, { layers, interior, cavity }: RigParts, inputs: string): string {
  const box = layers.boxes.interior;
  const backToFront = [interior.tongue, interior.lowerTeeth, interior.upperTeeth];
  const identity = parts.grid(blockStarts(box.widthPx), blockStarts(box.heightPx));
  const grid = interiorGrid(parts, inputs, [layers.tongue, layers.lowerTeeth, layers.upperTeeth], box, identity);
  const sampled = parts.sample(blockTexture(parts, box, backToFront), grid);
  const [y, u, v] = rgbToYuv(...cavity).map((value) => value + ROUNDING);
  let colours = parts.builder.constant([y, y, y, y, u, v], [1, BLOCK_CHANNELS, 1, 1]);
  backToFront.forEach((_, index) => {
    const [colour, alpha] = parts.split(parts.item(sampled, index), [BLOCK_CHANNELS, BLOCK_CHANNELS]);
    colours = parts.mix(colours, colour, alpha);
  });
  return colours;
}
