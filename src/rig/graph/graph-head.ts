// The head layer of a rig graph: everything but lower lip and chin, sampled at blocks of 2 × 2 pixels.
import type { PixelBox } from "../../image/raster.ts";
import type { RigParts } from "../rig-parts.ts";
import { forwardField, inverseField } from "./graph-displacement.ts";
import { type GraphParts, halfBox } from "./graph-parts.ts";
import { blockTexture } from "./graph-texture.ts";

/** Newton steps of the inverse. Measured on rendered poses; see docs/decisions/0004. */
const HEAD_STEPS = 2;

/** The region's rim is repeated one block beyond the edge. Otherwise motion of a fraction of a pixel would mix the edge
 *  with zeros, which shows as a dark line. */
const RIM_PX = 2;

export interface HeadLayer {
  /** The region with its rim. */
  box: PixelBox;
  /** Inverse displacement at the region's blocks [1, 2, R/2, R/2], in halves of `box`. */
  displacement: string;
  /** The layer inside a box of the region, [1, 6, h/2, w/2]: four lumas, U, V. */
  sample(box: PixelBox): string;
}

export function headLayer(parts: GraphParts, { regionPx, layers, lips }: RigParts, inputs: string): HeadLayer {
  const half = regionPx / 2;
  const sidePx = regionPx + 2 * RIM_PX;
  const box = { x: -RIM_PX, y: -RIM_PX, widthPx: sidePx, heightPx: sidePx };
  const inverse = inverseField(parts, forwardField(parts, inputs, layers.head), layers.head, HEAD_STEPS, "zeros");
  const displacement = parts.resize(parts.scaleAxes(inverse, layers.head.box, box), [1, 2, half, half]);
  const texture = blockTexture(parts, box, [{ colour: lips.headColour }]);
  const sample = (part: PixelBox) => {
    const here = parts.toGrid(parts.crop(displacement, halfBox(part)));
    return parts.sample(texture, parts.add(here, parts.blockPositions(part, box)));
  };
  return { box, displacement, sample };
}
