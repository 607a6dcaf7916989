// The head layer of a rig graph: everything but lower lip and chin, sampled at blocks of 2 × 2 pixels.
import type { PixelBox } from "../image/raster.ts";
import { forwardField, inverseField } from "./graph-displacement.ts";
import { type GraphParts, halfBox, wholeRegion } from "./graph-parts.ts";
import { blockTexture } from "./graph-texture.ts";
import type { RigParts } from "./rig-parts.ts";

/** Newton steps of the inverse. Measured on rendered poses; see docs/decisions/0004. */
const HEAD_STEPS = 2;

export interface HeadLayer {
  /** Inverse displacement at blocks [1, 2, R/2, R/2], in halves of the region. */
  displacement: string;
  /** The layer inside a box, [1, 6, h/2, w/2]: four lumas, U, V. */
  sample(box: PixelBox): string;
}

export function headLayer(parts: GraphParts, { regionPx, layers, lips }: RigParts, inputs: string): HeadLayer {
  const half = regionPx / 2;
  const region = wholeRegion(regionPx);
  const inverse = inverseField(parts, forwardField(parts, inputs, layers.head), layers.head, HEAD_STEPS, "zeros");
  const displacement = parts.resize(inverse, [1, 2, half, half]);
  const texture = blockTexture(parts, region, [{ colour: lips.headColour }]);
  const sample = (box: PixelBox) => {
    const here = parts.toGrid(parts.crop(displacement, halfBox(box)));
    return parts.sample(texture, parts.add(here, parts.blockPositions(box, region)));
  };
  return { displacement, sample };
}
