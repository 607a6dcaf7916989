// Displacement fields and their inverses inside the graph: from parameters to sampling positions in the photo.
import type { PixelBox } from "../../image/raster.ts";
import type { DisplacementBasis } from "../displacements/displacement-basis.ts";
import { RIG_INPUT_COUNT, RIG_INPUT_INDEX } from "../rig-inputs.ts";
import { type GazeTravel, LID_CLOSURES, type LidTable } from "../rig-layers.ts";
import { cellCentres, type GraphParts } from "./graph-parts.ts";

/** Minimum slope of a Newton step, for places where a field compresses the frame so much that it would fold. */
const LEAST_SLOPE = 0.3;
/** Maximum slope; no part of a face is stretched further. */
const MOST_SLOPE = 8;

/** The forward field for the given inputs [1, 22]: [1, 2, rows, columns], in units of half the basis's box. */
export function forwardField(parts: GraphParts, inputs: string, basis: DisplacementBasis): string {
  const { builder } = parts;
  const active = basis.activeInputs();
  const plane = basis.rows * basis.columns;
  const values = new Float32Array(active.length * 2 * plane);
  active.forEach((input, index) => {
    for (let axis = 0; axis < 2; axis++) {
      const scale = 2 / (axis === 0 ? basis.box.widthPx : basis.box.heightPx);
      const from = (input * 2 + axis) * plane;
      for (let cell = 0; cell < plane; cell++) {
        values[(index * 2 + axis) * plane + cell] = basis.data[from + cell] * scale;
      }
    }
  });
  const weights = builder.constant(values, [active.length, 2 * plane], { storage: "float16" });
  const chosen =
    active.length === RIG_INPUT_COUNT ? inputs : builder.node("Gather", [inputs, builder.ints(...active)], { axis: 1 });
  const flat = builder.node("MatMul", [chosen, weights]);
  return builder.node("Reshape", [flat, builder.ints(1, 2, basis.rows, basis.columns)]);
}

/** The inverse of a forward field f: d with d(x) + f(x + d(x)) = 0, by `steps` Newton steps whose Jacobian keeps only
 *  its diagonal: shear is small on faces, stretch is not. Same shape and units as the field. `outside`: padding beyond
 *  the field's grid; `zeros` is faster, and correct for fields that end in zero. */
export function inverseField(
  parts: GraphParts,
  field: string,
  basis: DisplacementBasis,
  steps: number,
  outside: "zeros" | "border",
): string {
  const { builder } = parts;
  const damping = reciprocalSlope(parts, field, basis);
  const both = builder.node("Concat", [field, damping], { axis: 1 });
  const identity = parts.grid(cellCentres(basis.columns), cellCentres(basis.rows));
  let inverse = builder.node("Neg", [parts.multiply(field, damping)]);
  for (let step = 0; step < steps; step++) {
    const there = parts.sample(both, parts.add(parts.toGrid(inverse), identity), outside);
    const [moved, slope] = builder.nodeWithOutputs("Split", [there, builder.ints(2, 2)], { axis: 1 }, 2);
    inverse = parts.subtract(inverse, parts.multiply(parts.add(inverse, moved), slope));
  }
  return inverse;
}

/** 1 / (1 + ∂fx/∂x) and 1 / (1 + ∂fy/∂y), by central differences. */
function reciprocalSlope(parts: GraphParts, field: string, basis: DisplacementBasis): string {
  const { builder } = parts;
  const across = basis.columns / 4;
  const down = basis.rows / 4;
  const kernel = [0, 0, 0, -across, 0, across, 0, 0, 0, 0, -down, 0, 0, 0, 0, 0, down, 0];
  const slope = builder.node("Conv", [parts.repeatEdges(field, basis), builder.constant(kernel, [2, 1, 3, 3])], {
    group: 2,
    kernel_shape: [3, 3],
  });
  const one = builder.scalar(1);
  return builder.node("Div", [one, parts.clip(parts.add(slope, one), LEAST_SLOPE, MOST_SLOPE)]);
}

/** Sampling displacement of the lid skin in the photo: [1, 2, rows, columns] in units of half the eyes' box. First
 *  `headHere` applies, the head's inverse on the table's cells in the same units; then, at the resulting point, the
 *  lids' own shift from their table. `closures`: [1, 2], 0..1, left and right. */
export function lidField(parts: GraphParts, headHere: string, table: LidTable, closures: string): string {
  const { builder } = parts;
  const { columns, rows } = table;
  const field = builder.node("Reshape", [
    builder.node("MatMul", [closureWeights(parts, closures), lidValues(parts, table)]),
    builder.ints(1, 2, rows, columns),
  ]);
  const identity = parts.grid(cellCentres(columns), cellCentres(rows));
  return parts.add(headHere, parts.sample(field, parts.add(parts.toGrid(headHere), identity)));
}

function lidValues(parts: GraphParts, { data, rows, columns, box }: LidTable): string {
  const plane = rows * columns;
  const scaled = data.map((value, index) => {
    const isX = Math.floor(index / plane) % 2 === 0;
    return (value * 2) / (isX ? box.widthPx : box.heightPx);
  });
  return parts.builder.constant(scaled, [2 * LID_CLOSURES.length, 2 * plane], { storage: "float16" });
}

/** Weights [1, 8] of the stored closures: a triangle function around each, so that a value between two closures mixes
 *  them linearly, and an open eye has weight 0. */
function closureWeights(parts: GraphParts, closures: string): string {
  const { builder } = parts;
  const count = LID_CLOSURES.length;
  const knots = builder.constant(
    LID_CLOSURES.map((closure) => closure * count),
    [1, 1, count],
  );
  const each = builder.node("Reshape", [parts.scaleBy(closures, count), builder.ints(1, 2, 1)]);
  const distance = builder.node("Abs", [parts.subtract(each, knots)]);
  const weights = builder.node("Relu", [parts.subtract(builder.scalar(1), distance)]);
  return builder.node("Reshape", [weights, builder.ints(1, 2 * count)]);
}

/** How far the gaze moves an eyeball, [1, 2, 1, 1] in units of half the box. The whole eyeball moves; the lids hide its
 *  rim. */
export function gazeShift(parts: GraphParts, inputs: string, gaze: GazeTravel, box: PixelBox): string {
  const weights = new Float32Array(2 * RIG_INPUT_COUNT);
  for (const input of ["gazeX", "gazeY"] as const) {
    weights[2 * RIG_INPUT_INDEX[input]] = (gaze[input].x * 2) / box.widthPx;
    weights[2 * RIG_INPUT_INDEX[input] + 1] = (gaze[input].y * 2) / box.heightPx;
  }
  const shift = parts.builder.node("MatMul", [inputs, parts.builder.constant(weights, [RIG_INPUT_COUNT, 2])]);
  return parts.builder.node("Reshape", [shift, parts.builder.ints(1, 2, 1, 1)]);
}

/** Sampling positions [N, h, w, 2] of the flat layers behind the lips, one per entry of `layers`, from their
 *  displacements at the box's corners. They hardly bend, so the negated forward displacement serves as the inverse. */
export function interiorGrid(
  parts: GraphParts,
  inputs: string,
  layers: readonly DisplacementBasis[],
  box: PixelBox,
  identity: string,
): string {
  const { builder } = parts;
  const cells = 2 * 2 * 2;
  const values = new Float32Array(RIG_INPUT_COUNT * layers.length * cells);
  layers.forEach((layer, index) => {
    for (let input = 0; input < RIG_INPUT_COUNT; input++) {
      for (let cell = 0; cell < cells; cell++) {
        const scale = -2 / (cell < 4 ? box.widthPx : box.heightPx);
        values[(input * layers.length + index) * cells + cell] = layer.data[input * cells + cell] * scale;
      }
    }
  });
  const basis = builder.constant(values, [RIG_INPUT_COUNT, layers.length * cells]);
  const corners = builder.node("Reshape", [
    builder.node("MatMul", [inputs, basis]),
    builder.ints(layers.length, 2, 2, 2),
  ]);
  const shape = [layers.length, 2, box.heightPx / 2, box.widthPx / 2];
  return parts.add(parts.toGrid(parts.resize(corners, shape, "align_corners")), identity);
}
