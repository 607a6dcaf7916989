// The head layer of a rig graph: everything but lower lip and chin, sampled at blocks of 2 × 2 pixels.
import type { PixelBox } from "../../signal/image/raster.ts";
import { forwardField, inverseField } from "./graph-displacement.ts";
import { type GraphParts, halfBox } from "./graph-parts.ts";
import { blockTexture } from "./graph-texture.ts";
import { headBox, type RigShape } from "./rig-shape.ts";

/** Newton steps of the inverse. Measured on rendered poses; see docs/decisions/0004. */
export const HEAD_STEPS = 2;

export interface HeadLayer {
  /** The region with its rim. */
  box: PixelBox;
  /** Inverse displacement at the region's blocks [1, 2, R/2, R/2], in halves of `box`. */
  displacement: string;
  /** The layer inside a box of the region, [1, 6, h/2, w/2]: four lumas, U, V. */
  sample(box: PixelBox): string;
}

export function headLayer(parts: GraphParts, { regionPx, head }: RigShape, inputs: string): HeadLayer {
  const half = regionPx / 2;
  const region = { x: 0, y: 0, widthPx: regionPx, heightPx: regionPx };
  const box = headBox(regionPx);
  const inverse = inverseField(parts, forwardField(parts, "headField", head, inputs), head, HEAD_STEPS, "zeros");
  const displacement = parts.resize(parts.scaleAxes(inverse, region, box), [1, 2, half, half]);
  const texture = blockTexture(parts, "head", box, { colours: 1 });
  const sample = (part: PixelBox) => {
    const here = parts.toGrid(parts.crop(displacement, halfBox(part)));
    return parts.sample(texture, parts.add(here, parts.blockPositions(part, box)));
  };
  return { box, displacement, sample };
}
