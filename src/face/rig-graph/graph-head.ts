// The head layer of a rig graph: everything but lower lip and chin, sampled at blocks of 2 × 2 pixels.
import type { PixelBox } from "../../signal/image/raster.ts";
import { forwardField, inverseField } from "./graph-displacement.ts";
import { cellCentres, type GraphParts, halfBox } from "./graph-parts.ts";
import { blockTexture } from "./graph-texture.ts";
import { hasExpressions, headBox, type RigShape } from "./rig-shape.ts";

/** Newton steps of the inverse. Measured on rendered poses; see docs/decisions/0004. */
export const HEAD_STEPS = 2;

/** Light and shade of expressions together stay within this share of the skin's brightness. */
export const MOST_LIGHT = 0.35;

export interface HeadLayer {
  /** The region with its rim. */
  box: PixelBox;
  /** Inverse displacement at the region's blocks [1, 2, R/2, R/2], in halves of `box`. */
  displacement: string;
  /** How much lighter the skin is at each pixel of the region, [1, 1, R, R], a share of its brightness; null in rigs
   *  without expressions. */
  light: string | null;
  /** The layer inside a box of the region, [1, 6, h/2, w/2]: four lumas, U, V. */
  sample(box: PixelBox): string;
}

export function headLayer(parts: GraphParts, shape: RigShape, inputs: string): HeadLayer {
  const { regionPx } = shape;
  const half = regionPx / 2;
  const region = { x: 0, y: 0, widthPx: regionPx, heightPx: regionPx };
  const box = headBox(regionPx);
  const forward = forwardField(parts, "headField", shape, inputs);
  const inverse = inverseField(parts, forward, shape.head, HEAD_STEPS, "zeros");
  const displacement = parts.resize(parts.scaleAxes(inverse, region, box), [1, 2, half, half]);
  const texture = blockTexture(parts, "head", box, { colours: 1 });
  const sample = (part: PixelBox) => {
    const here = parts.toGrid(parts.crop(displacement, halfBox(part)));
    return parts.sample(texture, parts.add(here, parts.blockPositions(part, box)));
  };
  const light = hasExpressions(shape) ? lightField(parts, shape, inputs, inverse) : null;
  return { box, displacement, light, sample };
}

/** Light is part of the skin: it is looked up where the skin that is shown lies in the photo. */
function lightField(parts: GraphParts, shape: RigShape, inputs: string, inverse: string): string {
  const { builder } = parts;
  const { regionPx, lights } = shape;
  const { rows, columns } = shape.head;
  const chosen = builder.node("Gather", [inputs, builder.ints(...lights)], { axis: 1 });
  const flat = builder.node("MatMul", [chosen, parts.data("light", [lights.length, rows * columns], "float16")]);
  const onSkin = builder.node("Reshape", [flat, builder.ints(1, 1, rows, columns)]);
  const there = parts.add(parts.toGrid(inverse), parts.grid(cellCentres(columns), cellCentres(rows)));
  const shown = parts.clip(parts.sample(onSkin, there), -MOST_LIGHT, MOST_LIGHT);
  return parts.resize(shown, [1, 1, regionPx, regionPx]);
}
