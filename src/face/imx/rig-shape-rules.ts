// The operators that a rig may use, with the largest shape of their outputs. None can loop, branch, read files or run
// foreign code. A rule must not assume a default if the file holds a value that the rule does not understand, because
// ONNX Runtime may use that value.
import type { AttributeValue } from "../../signal/onnx/graph.ts";
import { onnxTypeName } from "../../signal/onnx/onnx-format.ts";

/** Sizes of a tensor's axes, exact or upper bounds. */
export type Shape = readonly number[];

export interface NodeFacts {
  /** Shape of each input; undefined if the input is omitted or its shape unknown. */
  inputs: readonly (Shape | undefined)[];
  /** False for an omitted optional input. */
  isGiven: readonly boolean[];
  /** Values of inputs that are short constant int64 tensors. */
  constants: readonly (readonly number[] | undefined)[];
  attributes: ReadonlyMap<string, AttributeValue>;
  outputCount: number;
}

/** Returns the shapes of a node's outputs, or undefined if the file does not determine them. May hold invalid sizes
 *  (negative, fractions), which the caller checks. Never throws. */
export type ShapeRule = (node: NodeFacts) => Shape[] | undefined;

const asFirstInput: ShapeRule = ({ inputs: [first] }) => first && [first];

const broadcast: ShapeRule = ({ inputs }) =>
  inputs.reduce<Shape[] | undefined>((made, input) => made && input && [broadcastPair(made[0], input)], [[]]);

const averagePool: ShapeRule = ({ inputs: [input], attributes }) => {
  const kernel = listOf(attributes, "kernel_shape");
  if (input?.length !== 4 || kernel?.length !== 2) return undefined;
  const area = slideOver(input, kernel, attributes);
  return area && [[input[0], input[1], ...area]];
};

const convolve: ShapeRule = ({ inputs: [input, weights], attributes }) => {
  if (input?.length !== 4 || weights?.length !== 4) return undefined;
  const area = slideOver(input, weights.slice(2), attributes);
  return area && [[input[0], weights[0], ...area]];
};

/** A cast to a numeric type only; the size of strings is not bounded. */
const cast: ShapeRule = ({ inputs: [input], attributes }) => {
  const type = onnxTypeName(intOf(attributes, "to") ?? 0);
  return input && type && [input];
};

const concat: ShapeRule = ({ inputs, attributes }) => {
  const [first] = inputs;
  const axis = first && axisOf(intOf(attributes, "axis"), first.length);
  if (!first || axis === undefined) return undefined;
  const joined = [...first];
  for (const input of inputs.slice(1)) {
    if (input?.length !== first.length) return undefined;
    for (const [i, size] of input.entries()) joined[i] = i === axis ? joined[i] + size : Math.max(joined[i], size);
  }
  return [joined];
};

const depthToSpace: ShapeRule = ({ inputs: [input], attributes }) => {
  const block = intOf(attributes, "blocksize");
  if (input?.length !== 4 || block === undefined || block < 1) return undefined;
  return [[input[0], Math.floor(input[1] / block ** 2), input[2] * block, input[3] * block]];
};

const expand: ShapeRule = ({ inputs: [input], constants: [, size] }) => input && size && [broadcastPair(input, size)];

const gather: ShapeRule = ({ inputs: [data, indices], attributes }) => {
  const axis = data && axisOf(intOf(attributes, "axis", 0), data.length);
  if (!data || !indices || axis === undefined) return undefined;
  return [[...data.slice(0, axis), ...indices, ...data.slice(axis + 1)]];
};

const gridSample: ShapeRule = ({ inputs: [input, grid] }) =>
  input?.length === 4 && grid?.length === 4 ? [[input[0], input[1], grid[1], grid[2]]] : undefined;

const matMul: ShapeRule = ({ inputs: [left, right] }) => {
  if (!left || !right || left.length < 2 || right.length < 2) return undefined;
  return [[...broadcastPair(left.slice(0, -2), right.slice(0, -2)), left[left.length - 2], right[right.length - 1]]];
};

const reshape: ShapeRule = ({ inputs: [input], constants: [, size] }) => {
  if (!input || !size) return undefined;
  const copied = size.map((length, i) => (length === 0 ? (input[i] ?? 0) : length));
  const known = copied.filter((length) => length !== -1);
  const rest = Math.ceil(product(input) / Math.max(1, product(known)));
  return [copied.map((length) => (length === -1 ? rest : length))];
};

/** By the sizes of all axes. Attributes that change their meaning are refused. */
const resize: ShapeRule = ({ inputs: [input], isGiven, constants: [, , , size], attributes }) => {
  if (isGiven[1] || isGiven[2] || size?.length !== input?.length) return undefined;
  return size && ["axes", "keep_aspect_ratio_policy", "antialias"].every((name) => !attributes.has(name))
    ? [size]
    : undefined;
};

const slice: ShapeRule = ({ inputs: [input], isGiven, constants: [, starts, ends, givenAxes, givenSteps] }) => {
  if (!input || !starts || ends?.length !== starts.length) return undefined;
  const axes = isGiven[3] ? givenAxes : starts.map((_, i) => i);
  const steps = isGiven[4] ? givenSteps : starts.map(() => 1);
  if (axes?.length !== starts.length || steps?.length !== starts.length || steps.includes(0)) return undefined;
  if (new Set(axes.map((axis) => axisOf(axis, input.length))).size !== axes.length) return undefined;
  const cut = [...input];
  for (const [i, start] of starts.entries()) {
    const axis = axisOf(axes[i], input.length);
    const step = steps[i];
    if (axis === undefined) return undefined;
    // Backward slices are rare; the axis size is their upper bound.
    if (step < 1) continue;
    const length = input[axis];
    const from = clamp(start < 0 ? start + length : start, length);
    const to = clamp(ends[i] < 0 ? ends[i] + length : ends[i], length);
    cut[axis] = Math.max(0, Math.ceil((to - from) / step));
  }
  return [cut];
};

const split: ShapeRule = ({ inputs: [input], constants: [, sizes], attributes, outputCount }) => {
  const axis = input && axisOf(intOf(attributes, "axis", 0), input.length);
  if (!input || axis === undefined || (sizes && sizes.length !== outputCount)) return undefined;
  return Array.from({ length: outputCount }, (_, part) => {
    const shape = [...input];
    if (sizes) shape[axis] = Math.min(sizes[part], input[axis]);
    return shape;
  });
};

const transpose: ShapeRule = ({ inputs: [input], attributes }) => {
  if (!input) return undefined;
  const order = listOf(
    attributes,
    "perm",
    input.map((_, i) => input.length - 1 - i),
  );
  const isOrder = order?.length === input.length && new Set(order).size === order.length;
  return isOrder && order.every((axis) => axis in input) ? [order.map((axis) => input[axis])] : undefined;
};

/** All operators that a rig may use, from the standard set. Any other operator is refused. */
export const RIG_SHAPE_RULES: ReadonlyMap<string, ShapeRule> = new Map([
  ["Abs", asFirstInput],
  ["Add", broadcast],
  ["AveragePool", averagePool],
  ["Cast", cast],
  ["Clip", asFirstInput],
  ["Concat", concat],
  ["Conv", convolve],
  ["DepthToSpace", depthToSpace],
  ["Div", broadcast],
  ["Expand", expand],
  ["Gather", gather],
  ["GridSample", gridSample],
  ["Identity", asFirstInput],
  ["MatMul", matMul],
  ["Max", broadcast],
  ["Min", broadcast],
  ["Mul", broadcast],
  ["Neg", asFirstInput],
  ["Relu", asFirstInput],
  ["Reshape", reshape],
  ["Resize", resize],
  ["Slice", slice],
  ["Split", split],
  ["Sub", broadcast],
  ["Transpose", transpose],
]);

/** Output height and width of a sliding kernel without padding; undefined if the node uses padding. */
function slideOver(input: Shape, kernel: Shape, attributes: NodeFacts["attributes"]): number[] | undefined {
  const strides = listOf(attributes, "strides", [1, 1]);
  const isUnpadded = listOf(attributes, "pads", [])?.every((size) => size === 0);
  const isPlain = isUnpadded && !attributes.has("auto_pad") && strides?.length === 2;
  if (!isPlain || strides.some((stride) => stride < 1)) return undefined;
  // Rounded up, because pooling can use ceil mode. The result is at most one too large.
  return [0, 1].map((i) => Math.ceil((input[2 + i] - kernel[i]) / strides[i]) + 1);
}

function broadcastPair(first: Shape, second: Shape): number[] {
  const rank = Math.max(first.length, second.length);
  const at = (shape: Shape, i: number): number => shape[i - rank + shape.length] ?? 1;
  return Array.from({ length: rank }, (_, i) => Math.max(at(first, i), at(second, i)));
}

/** Returns an integer attribute; `fallback` if the node does not have it, undefined if it has another type. */
function intOf(attributes: NodeFacts["attributes"], name: string, fallback?: number): number | undefined {
  const value = attributes.has(name) ? attributes.get(name) : fallback;
  return typeof value === "number" ? value : undefined;
}

/** Returns a list of integers; otherwise like `intOf`. */
function listOf(attributes: NodeFacts["attributes"], name: string, fallback?: Shape): Shape | undefined {
  const value = attributes.has(name) ? attributes.get(name) : fallback;
  return Array.isArray(value) ? value : undefined;
}

function axisOf(axis: number | undefined, rank: number): number | undefined {
  if (axis === undefined || axis < -rank || axis >= rank) return undefined;
  return axis < 0 ? axis + rank : axis;
}

function product(sizes: Shape): number {
  return sizes.reduce((total, size) => total * size, 1);
}

function clamp(position: number, length: number): number {
  return Math.min(length, Math.max(0, position));
}
