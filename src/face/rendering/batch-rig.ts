// Turns the rig of one frame into a rig of many: the same graph with a batch axis, for GPUs.
//
// Every value that depends on the parameters gets N times as many items on its first axis, the items of one frame
// adjacent. Constants are repeated only where an operator needs equal counts.

import type { AttributeValue } from "../../signal/onnx/graph.ts";
import { GraphBuilder } from "../../signal/onnx/graph-builder.ts";
import { type InspectedNode, inspectModel, type ModelInspection } from "../../signal/onnx/inspect-model.ts";
import { writeModel } from "../../signal/onnx/model-writer.ts";
import { RIG_SHAPE_RULES, type Shape } from "../imx/rig-shape-rules.ts";

/** Operators of one tensor that work through the items of its first axis one by one; what else they take is the same
 *  for all. */
const ITEM_BY_ITEM = new Set(["Abs", "AveragePool", "Cast", "Clip", "Conv", "DepthToSpace", "Identity", "Neg", "Relu"]);
/** Operators with tensors that stretch to fit each other. */
const BROADCASTING = new Set(["Add", "Div", "Max", "Min", "Mul", "Sub"]);
/** A slice to the end, as ONNX writes it. */
const TO_THE_END = 2 ** 31 - 1;

/** The ONNX file of a rig that renders `batch` frames in a call: input `params` float32 [batch, n], outputs `y` and
 *  `uv` with `batch` on their first axis, each frame as the rig of one renders it. `rig`: a graph that `checkRigGraph`
 *  lets pass. Throws RangeError for a graph that mixes items of its first axis. */
export function batchRig(rig: Uint8Array, batch: number): Uint8Array {
  if (!Number.isInteger(batch) || batch < 1) throw new RangeError("a batch must have at least one frame");
  return new BatchWriter(inspectModel(rig), batch).write();
}

class BatchWriter {
  readonly #model: ModelInspection;
  readonly #batch: number;
  readonly #builder = new GraphBuilder("rig-batch", "batch_");
  /** Shapes in the graph of one frame. */
  readonly #shapes = new Map<string, Shape>();
  readonly #ints = new Map<string, readonly number[] | undefined>();
  /** Values of the new graph that follow from the parameters. */
  readonly #batched = new Set<string>();
  readonly #repeated = new Map<string, string>();

  constructor(model: ModelInspection, batch: number) {
    this.#model = model;
    this.#batch = batch;
  }

  write(): Uint8Array {
    const { inputs, outputs, tensors, nodes } = this.#model;
    for (const { name, dims } of inputs) {
      const shape = dims as number[];
      this.#shapes.set(name, shape);
      this.#batched.add(this.#builder.input(name, "float32", this.#many(shape)));
    }
    for (const { name, type, dims, raw, ints } of tensors) {
      this.#shapes.set(name, dims);
      this.#ints.set(name, ints);
      this.#builder.tensor({ name, type: type!, dims, bytes: raw });
    }
    for (const { name, type, dims } of outputs) this.#builder.output(name, type!, this.#many(dims as number[]));
    for (const node of nodes) this.#add(node);
    return writeModel(this.#builder.toGraph());
  }

  #add(node: InspectedNode): void {
    const inputs = node.inputs.map((name) => this.#shapes.get(name));
    const made = RIG_SHAPE_RULES.get(node.operator)?.({
      inputs,
      isGiven: node.inputs.map((name) => name !== ""),
      constants: node.inputs.map((name) => this.#ints.get(name)),
      attributes: node.attributes,
      outputCount: node.outputs.length,
    });
    if (!made) throw new RangeError(`a rig has no ${node.operator}`);
    for (const [i, name] of node.outputs.entries()) this.#shapes.set(name, made[i]);
    const isBatched = node.inputs.some((name) => this.#batched.has(name));
    this.#copy(node, isBatched ? this.#inputsOf(node, made) : node.inputs);
    if (isBatched) for (const name of node.outputs) this.#batched.add(name);
  }

  #copy(node: InspectedNode, inputs: readonly string[]): void {
    this.#builder.nodeAs(node.operator, inputs, Object.fromEntries(node.attributes), node.outputs);
  }

  /** The inputs with which an operator does for every frame what it did for one. */
  #inputsOf(node: InspectedNode, made: readonly Shape[]): string[] {
    const { operator, inputs } = node;
    const [first] = inputs;
    const rank = this.#shapes.get(first)?.length ?? 0;
    const axis = node.attributes.get("axis") ?? 0;
    if (BROADCASTING.has(operator)) return inputs.map((name) => this.#broadcast(name, made[0]));
    if (ITEM_BY_ITEM.has(operator) && this.#batched.has(first)) return [...inputs];
    switch (operator) {
      case "Concat":
        if (axis === 0 || axis === -rank) throw mixes(operator);
        return inputs.map((name) => this.#repeat(name));
      case "GridSample":
        return inputs.map((name) => this.#repeat(name));
      case "Gather":
      case "Split":
        if (axis === 0 || axis === -rank || !this.#batched.has(first)) throw mixes(operator);
        return [...inputs];
      case "MatMul":
        if (this.#batched.has(inputs[1]) || (this.#shapes.get(inputs[1])?.length ?? 0) > 2) throw mixes(operator);
        return [...inputs];
      case "Transpose":
        if (!keepsFirstAxis(node.attributes.get("perm"))) throw mixes(operator);
        return [...inputs];
      case "Expand":
      case "Reshape":
        return [first, this.#builder.ints(...this.#many(made[0]))];
      case "Resize":
        return [first, inputs[1] ?? "", inputs[2] ?? "", this.#builder.ints(...this.#many(made[0]))];
      case "Slice":
        return this.#sliceInputs(inputs);
      default:
        throw mixes(operator);
    }
  }

  /** A slice that picks one item of the first axis picks that item of every frame: it goes on in steps of a frame's
   *  items. */
  #sliceInputs(inputs: readonly string[]): string[] {
    const [data, starts, ends, axes] = inputs;
    const axisList = this.#ints.get(axes);
    const at = axisList?.indexOf(0) ?? -1;
    if (axisList && at < 0) return [...inputs];
    const [from, to] = [this.#ints.get(starts)?.[0] ?? 0, this.#ints.get(ends)?.[0] ?? 0];
    if (axisList?.length !== 1 || to !== from + 1 || from < 0 || inputs.length > 4) throw mixes("Slice");
    const itemsPerFrame = this.#shapes.get(data)?.[0] ?? 1;
    return [data, starts, this.#builder.ints(TO_THE_END), axes, this.#builder.ints(itemsPerFrame)];
  }

  /** A constant with the first axis of the result must be there once for every frame; others fit as they are.
   *  */
  #broadcast(name: string, result: Shape): string {
    const shape = this.#shapes.get(name);
    const meets = shape?.length === result.length && shape[0] > 1;
    return meets ? this.#repeat(name) : name;
  }

  /** A constant, once for every frame. */
  #repeat(name: string): string {
    const shape = this.#shapes.get(name);
    if (name === "" || this.#batched.has(name) || !shape) return name;
    const known = this.#repeated.get(name);
    if (known) return known;
    const builder = this.#builder;
    const apart = builder.node("Reshape", [name, builder.ints(1, ...shape)]);
    const expanded = builder.node("Expand", [apart, builder.ints(this.#batch, ...shape)]);
    const repeated = builder.node("Reshape", [expanded, builder.ints(...this.#many(shape))]);
    this.#repeated.set(name, repeated);
    return repeated;
  }

  #many(shape: Shape): number[] {
    return [this.#batch * shape[0], ...shape.slice(1)];
  }
}

function mixes(operator: string): RangeError {
  return new RangeError(`the rig cannot be batched: a ${operator} of it mixes items of different frames`);
}

/** True for an order of axes that begins with the first one; without an order, all axes are reversed. */
function keepsFirstAxis(order: AttributeValue | undefined): boolean {
  return Array.isArray(order) && order[0] === 0;
}
