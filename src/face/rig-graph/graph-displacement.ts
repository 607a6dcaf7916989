// Displacement fields and their inverses inside the graph: from parameters to sampling positions in the photo.
import { cellCentres, type GraphParts, type GridSize, halfBox } from "./graph-parts.ts";
import { rigInputCount } from "./rig-inputs.ts";
import { hasExpressions, INTERIOR_LAYERS, LID_CLOSURES, lidShifts, type RigShape } from "./rig-shape.ts";

/** Minimum slope of a Newton step, for places where a field compresses the frame so much that it would fold. */
export const LEAST_SLOPE = 0.3;
/** Maximum slope; no part of a face is stretched further. */
export const MOST_SLOPE = 8;

/** The forward field for the given inputs [1, n + 1]: [1, 2, rows, columns], in halves of the layer's box. */
export function forwardField(
  parts: GraphParts,
  name: "headField" | "jawField",
  { parameterCount, ...shape }: Pick<RigShape, "parameterCount" | "head" | "jaw">,
  inputs: string,
): string {
  const { builder } = parts;
  const { columns, rows, inputs: active } = name === "headField" ? shape.head : shape.jaw;
  const weights = parts.data(name, [active.length, 2 * rows * columns], "float16");
  const chosen =
    active.length === rigInputCount(parameterCount)
      ? inputs
      : builder.node("Gather", [inputs, builder.ints(...active)], { axis: 1 });
  const flat = builder.node("MatMul", [chosen, weights]);
  return builder.node("Reshape", [flat, builder.ints(1, 2, rows, columns)]);
}

/** The inverse of a forward field f: d with d(x) + f(x + d(x)) = 0, by `steps` Newton steps with only the diagonal of
 *  the Jacobian: shear is small on faces, stretch is not. Same shape and units as the field. `outside`: padding beyond
 *  the field's grid; `zeros` is faster, and correct for fields that end in zero. */
export function inverseField(
  parts: GraphParts,
  field: string,
  size: GridSize,
  steps: number,
  outside: "zeros" | "border",
): string {
  const { builder } = parts;
  const damping = reciprocalSlope(parts, field, size);
  const both = builder.node("Concat", [field, damping], { axis: 1 });
  const identity = parts.grid(cellCentres(size.columns), cellCentres(size.rows));
  let inverse = builder.node("Neg", [parts.multiply(field, damping)]);
  for (let step = 0; step < steps; step++) {
    const there = parts.sample(both, parts.add(parts.toGrid(inverse), identity), outside);
    const [moved, slope] = builder.nodeWithOutputs("Split", [there, builder.ints(2, 2)], { axis: 1 }, 2);
    inverse = parts.subtract(inverse, parts.multiply(parts.add(inverse, moved), slope));
  }
  return inverse;
}

/** 1 / (1 + ∂fx/∂x) and 1 / (1 + ∂fy/∂y), by central differences. */
function reciprocalSlope(parts: GraphParts, field: string, size: GridSize): string {
  const { builder } = parts;
  const across = size.columns / 4;
  const down = size.rows / 4;
  const kernel = [0, 0, 0, -across, 0, across, 0, 0, 0, 0, -down, 0, 0, 0, 0, 0, down, 0];
  const slope = builder.node("Conv", [parts.repeatEdges(field, size), builder.constant(kernel, [2, 1, 3, 3])], {
    group: 2,
    kernel_shape: [3, 3],
  });
  const one = builder.scalar(1);
  return builder.node("Div", [one, parts.clip(parts.add(slope, one), LEAST_SLOPE, MOST_SLOPE)]);
}

/** Sampling displacement of the lid skin in the photo: [1, 2, h/2, w/2] in halves of the eyes' box. First `headHere`
 *  applies, the head's inverse at the blocks in the same units; then, at the resulting point, the lids' own shift from
 *  their table. `closures`: [1, 2], 0..1, left and right; −1 is a raised lid. */
export function lidField(parts: GraphParts, shape: RigShape, headHere: string, closures: string): string {
  const { builder } = parts;
  const { widthPx: columns, heightPx: rows } = halfBox(shape.boxes.eyes);
  const weights = closureWeights(parts, shape, closures);
  const stored = [2 * lidShifts(shape).length, 2 * rows * columns];
  const field = builder.node("Reshape", [
    builder.node("MatMul", [weights, parts.data("lidField", stored, "float16")]),
    builder.ints(1, 2, rows, columns),
  ]);
  const identity = parts.grid(cellCentres(columns), cellCentres(rows));
  return parts.add(headHere, parts.sample(field, parts.add(parts.toGrid(headHere), identity)));
}

/** Weights [1, 2 × closures] of the stored closures: a triangle function around each, so that a value between two
 *  closures mixes them linearly, and an open eye has weight 0. */
function closureWeights(parts: GraphParts, shape: RigShape, closures: string): string {
  const { builder } = parts;
  const count = LID_CLOSURES.length;
  const knots = builder.constant(
    LID_CLOSURES.map((closure) => closure * count),
    [1, 1, count],
  );
  const each = builder.node("Reshape", [parts.scaleBy(closures, count), builder.ints(1, 2, 1)]);
  const distance = builder.node("Abs", [parts.subtract(each, knots)]);
  const weights = builder.node("Relu", [parts.subtract(builder.scalar(1), distance)]);
  if (!hasExpressions(shape)) return builder.node("Reshape", [weights, builder.ints(1, 2 * count)]);
  const raised = parts.scaleBy(builder.node("Relu", [builder.node("Neg", [each])]), 1 / count);
  return builder.node("Reshape", [parts.concat([weights, raised], 2), builder.ints(1, 2 * lidShifts(shape).length)]);
}

/** How far the gaze moves an eyeball, [1, 2, 1, 1] in halves of the eyes' source. The whole eyeball moves; the lids
 *  hide its rim. */
export function gazeShift(parts: GraphParts, { parameterCount }: RigShape, inputs: string): string {
  const shift = parts.builder.node("MatMul", [inputs, parts.data("gaze", [rigInputCount(parameterCount), 2])]);
  return parts.builder.node("Reshape", [shift, parts.builder.ints(1, 2, 1, 1)]);
}

/** Sampling positions [3, h, w, 2] of the flat layers behind the lips, from their displacements at the corners of the
 *  interior. They hardly bend, so the negated forward displacement serves as the inverse. */
export function interiorGrid(parts: GraphParts, shape: RigShape, inputs: string, identity: string): string {
  const { builder } = parts;
  const box = shape.boxes.interior;
  const layers = INTERIOR_LAYERS.length;
  const basis = parts.data("interiorCorners", [rigInputCount(shape.parameterCount), layers * 2 * 2 * 2]);
  const corners = builder.node("Reshape", [builder.node("MatMul", [inputs, basis]), builder.ints(layers, 2, 2, 2)]);
  const blocks = [layers, 2, box.heightPx / 2, box.widthPx / 2];
  return parts.add(parts.toGrid(parts.resize(corners, blocks, "align_corners")), identity);
}
