// The mouth interior of a rig graph: teeth and tongue in front of the dark cavity.
import { interiorGrid } from "./graph-displacement.ts";
import { blockStarts, type GraphParts } from "./graph-parts.ts";
import { blockTexture } from "./graph-texture.ts";
import { INTERIOR_LAYERS, type RigShape } from "./rig-shape.ts";

/** Channels of a block: four lumas, U, V. */
const BLOCK_CHANNELS = 6;

/** Teeth and tongue over the dark cavity, at blocks of the interior's box [1, 6, h/2, w/2]. They move as flat boards,
 *  so blocks are exact. */
export function renderInterior(parts: GraphParts, shape: RigShape, inputs: string): string {
  const box = shape.boxes.interior;
  const identity = parts.grid(blockStarts(box.widthPx), blockStarts(box.heightPx));
  const grid = interiorGrid(parts, shape, inputs, identity);
  const layers = INTERIOR_LAYERS.length;
  const sampled = parts.sample(blockTexture(parts, "interior", box, { colours: 1, masks: 1, layers }), grid);
  let colours = parts.data("cavity", [1, BLOCK_CHANNELS, 1, 1]);
  INTERIOR_LAYERS.forEach((_, index) => {
    const [colour, alpha] = parts.split(parts.item(sampled, index), [BLOCK_CHANNELS, BLOCK_CHANNELS]);
    colours = parts.mix(colours, colour, alpha);
  });
  return colours;
}
