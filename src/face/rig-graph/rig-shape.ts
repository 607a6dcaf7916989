// What decides the nodes of a rig graph: sizes and places, and none of a face's own numbers. Graphs of equal shape
// differ in their data only (`rig-data.ts`).
import { EARLIER_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import type { PixelBox } from "../../signal/image/raster.ts";

/** Boxes in region pixels: the parts of a region in which several layers are visible. Position and size are multiples
 *  of 8, so that blocks and grid cells fit. The eyes' and the mouth's are disjoint; the eyes' is the upper one. */
export interface RigBoxes {
  /** Around both eyes: each eye moves into the space of the other. */
  eyes: PixelBox;
  /** Source of lids and eyeballs in the photo; they are rendered anywhere in `eyes`. */
  eyesSource: PixelBox;
  mouth: PixelBox;
  /** Around `mouth`: the part of the photo that can move into it. */
  mouthSource: PixelBox;
  /** Inside `mouth`: everything that can be visible between the lips. */
  interior: PixelBox;
}

/** The grid of a layer's displacements, and which inputs move the layer. */
export interface FieldShape {
  columns: number;
  rows: number;
  /** Indices of rig inputs, ascending. */
  inputs: readonly number[];
}

export interface RigShape {
  /** Side of the region, px, a multiple of 8. */
  regionPx: number;
  /** How many face parameters the graph takes. */
  parameterCount: number;
  boxes: RigBoxes;
  /** Over the whole region. */
  head: FieldShape;
  /** Over the mouth's box. */
  jaw: FieldShape;
  /** Indices of the rig inputs that make the head's skin lighter or darker, ascending, on the head's grid. */
  lights: readonly number[];
}

/** Whether rigs of so many parameters have light on their skin, and upper lids that rise. */
export function hasExpressions({ parameterCount }: Pick<RigShape, "parameterCount">): boolean {
  return parameterCount > EARLIER_PARAMETER_COUNT;
}

/** Pixels that the head's texture reaches beyond the region on each side: the edge repeated, one block. Otherwise
 *  motion of a fraction of a pixel would mix the edge with zeros, which shows as a dark line. */
const RIM_PX = 2;

/** Blink closures with a stored lid shift; between them rendering interpolates. −1 is a raised lid. */
export const LID_CLOSURES = [0.25, 0.5, 0.75, 1];
export const RAISED_LID = -1;

/** The lid shifts that a graph stores for each eye, as closures. */
export function lidShifts(shape: Pick<RigShape, "parameterCount">): readonly number[] {
  return hasExpressions(shape) ? [...LID_CLOSURES, RAISED_LID] : LID_CLOSURES;
}

/** Layers between the lips, back to front: their order in the data. */
export const INTERIOR_LAYERS = ["tongue", "lowerTeeth", "upperTeeth"] as const;

/** The region with its rim. */
export function headBox(regionPx: number): PixelBox {
  const sidePx = regionPx + 2 * RIM_PX;
  return { x: -RIM_PX, y: -RIM_PX, widthPx: sidePx, heightPx: sidePx };
}

/** The box of a texture that is sampled at blocks: one pixel more at the right and at the bottom. */
export function blockTextureBox(box: PixelBox): PixelBox {
  return { ...box, widthPx: box.widthPx + 1, heightPx: box.heightPx + 1 };
}
