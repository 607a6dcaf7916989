// Reads sizes and places of a rig's layers out of its graph. The file is untrusted: what is read here is bounded, and
// `match-rig.ts` then compares the whole graph with the one that these sizes make. So this reader may go by order, as
// the writer does: what it takes for something else makes another graph.
import { EARLIER_PARAMETER_COUNT, FACE_PARAMETER_COUNT } from "../../../../shared/face-parameters.ts";
import type { PixelBox } from "../../../signal/image/raster.ts";
import type { InspectedNode, InspectedTensor, ModelInspection } from "../../../signal/onnx/inspect-model.ts";
import { rigInputCount } from "../../rig-graph/rig-inputs.ts";
import { type FieldShape, hasExpressions, type RigShape } from "../../rig-graph/rig-shape.ts";

/** Numbers of parameters that the executor knows. */
const PARAMETER_COUNTS: readonly unknown[] = [EARLIER_PARAMETER_COUNT, FACE_PARAMETER_COUNT];
/** Bounds of the executor's own tables. */
const MAX_REGION_PX = 1024;
const MAX_CELLS_A_SIDE = 512;
const STEP_PX = 8;

/** Thrown for a graph that the executor does not know, with what is different. */
export class RigMismatch extends Error {}

/** The shape, with every number in its bounds. Linear in the size of the graph. Throws RigMismatch and nothing else. */
export function readRigShape(model: ModelInspection): RigShape {
  const parameterCount = model.inputs[0]?.dims?.[1];
  if (typeof parameterCount !== "number" || !PARAMETER_COUNTS.includes(parameterCount)) {
    throw new RigMismatch("number of parameters");
  }
  const isLit = hasExpressions({ parameterCount });
  const graph = new GraphIndex(model, rigInputCount(parameterCount));
  const regionPx = sizeOf(model.outputs[0]?.dims?.[2], MAX_REGION_PX, "region");
  const region = { x: 0, y: 0, widthPx: regionPx, heightPx: regionPx };
  // The head's displacement at blocks is cropped once a band, and for each layer that moves with it.
  const displacement = graph.first("Resize");
  const moved = graph.readers(displacement, "Slice").filter((crop) => graph.readers(crop, "Mul").length > 0);
  const eyeballs = need(moved[0], "eyeballs");
  const upperLip = need(moved[2], "upper lip");
  const eyes = within(doubled(graph.cropBox(eyeballs)), region, "eyes");
  const mouth = within(doubled(graph.cropBox(upperLip)), region, "mouth");

  const [, , , lids, upperTexture] = model.tensors.filter(({ type }) => type === "uint8");
  const eyeGrid = graph.path(eyeballs, "Mul", "Transpose", "Add");
  const mouthGrid = graph.path(upperLip, "Mul", "Resize", "Transpose", "Add");
  const [, , , shade] = graph.path(mouthGrid, "GridSample", "Split").outputs;
  const opening = graph.cropBox(need(graph.readersOf(shade, "Slice")[0], "interior"));
  const fields = model.tensors.filter(({ type }) => type === "float16");
  const [headField] = fields;
  const jawField = fields[isLit ? 3 : 2];
  return {
    regionPx,
    parameterCount,
    boxes: {
      eyes,
      eyesSource: within(graph.sourceBox(eyeGrid, eyes, lids), region, "source of the eyes"),
      mouth,
      mouthSource: within(graph.sourceBox(mouthGrid, mouth, upperTexture), region, "source of the mouth"),
      interior: within({ ...opening, x: mouth.x + opening.x, y: mouth.y + opening.y }, mouth, "interior"),
    },
    head: graph.fieldShape(headField),
    jaw: graph.fieldShape(jawField),
    lights: isLit ? graph.inputsOf(fields[1]) : [],
  };
}

/** Finds nodes by what they read and write. */
class GraphIndex {
  readonly #model: ModelInspection;
  readonly #tensors: ReadonlyMap<string, InspectedTensor>;
  readonly #writers = new Map<string, InspectedNode>();
  readonly #readers = new Map<string, InspectedNode[]>();
  readonly #inputCount: number;

  /** `inputCount`: the inputs of the rig. */
  constructor(model: ModelInspection, inputCount: number) {
    this.#model = model;
    this.#inputCount = inputCount;
    this.#tensors = new Map(model.tensors.map((tensor) => [tensor.name, tensor]));
    for (const node of model.nodes) {
      for (const name of node.outputs) this.#writers.set(name, node);
      for (const name of new Set(node.inputs)) {
        const known = this.#readers.get(name);
        if (known) known.push(node);
        else this.#readers.set(name, [node]);
      }
    }
  }

  first(operator: string): InspectedNode {
    return need(
      this.#model.nodes.find((node) => node.operator === operator),
      operator,
    );
  }

  /** Nodes of an operator that read a value, in order. */
  readersOf(name: string, operator: string): InspectedNode[] {
    return (this.#readers.get(name) ?? []).filter((node) => node.operator === operator);
  }

  /** The same of a node's first output. */
  readers(node: InspectedNode, operator: string): InspectedNode[] {
    return this.readersOf(node.outputs[0], operator);
  }

  /** From a node to a reader of its first output, and on, by operators. */
  path(from: InspectedNode, ...operators: string[]): InspectedNode {
    return operators.reduce((node, operator) => need(this.readers(node, operator)[0], operator), from);
  }

  /** The box of a slice of rows and columns. */
  cropBox({ inputs }: InspectedNode): PixelBox {
    const [y, x] = this.#ints(inputs[1]);
    const [bottom, right] = this.#ints(inputs[2]);
    return { x, y, widthPx: right - x, heightPx: bottom - y };
  }

  /** The box in the region of a texture that is sampled at `box`: `add` adds the positions of its pixels, which run
   *  from −1 to 1 over the texture. */
  sourceBox(add: InspectedNode, box: PixelBox, texture: InspectedTensor | undefined): PixelBox {
    const [, , rows, columns] = texture?.dims ?? [];
    const axes = this.#writer(add.inputs[1]).inputs.map((name) => this.#tensor(this.#writer(name).inputs[0]));
    const [x, y] = axes.map((axis, index) => {
      const [first] = floatsOf(axis);
      return Math.round(((first + 1) * (index === 0 ? columns : rows) - 1) / 2);
    });
    return { x: box.x - x, y: box.y - y, widthPx: columns, heightPx: rows };
  }

  /** The grid of a stored field, and its inputs. */
  fieldShape(stored: InspectedTensor | undefined): FieldShape {
    const [, , rows, columns] = this.#ints(this.path(this.#product(stored), "Reshape").inputs[1]);
    return {
      columns: sizeOf(columns, MAX_CELLS_A_SIDE, "field"),
      rows: sizeOf(rows, MAX_CELLS_A_SIDE, "field"),
      inputs: this.inputsOf(stored),
    };
  }

  /** The inputs of a stored field: all, or those that are gathered for it. */
  inputsOf(stored: InspectedTensor | undefined): number[] {
    const chosen = this.#writer(this.#product(stored).inputs[0]);
    const count = this.#inputCount;
    const inputs =
      chosen.operator === "Gather" ? this.#ints(chosen.inputs[1]) : Array.from({ length: count }, (_, index) => index);
    if (inputs.length > count || !inputs.every((input) => input >= 0 && input < count)) {
      throw new RigMismatch("inputs of a field");
    }
    return inputs;
  }

  /** The product of inputs and a stored field. */
  #product(stored: InspectedTensor | undefined): InspectedNode {
    return this.path(need(this.readersOf(stored?.name ?? "", "Cast")[0], "field"), "MatMul");
  }

  #writer(name: string): InspectedNode {
    return need(this.#writers.get(name), name);
  }

  #tensor(name: string): InspectedTensor {
    return need(this.#tensors.get(name), name);
  }

  #ints(name: string): number[] {
    const { type, raw } = this.#tensor(name);
    if (type !== "int64" || raw.length % 8 || raw.length > 8 * this.#inputCount) throw new RigMismatch(name);
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    return Array.from({ length: raw.length / 8 }, (_, index) => Number(view.getBigInt64(8 * index, true)));
  }
}

function floatsOf({ name, type, raw }: InspectedTensor): number[] {
  if (type !== "float32" || raw.length < 4) throw new RigMismatch(name);
  return [new DataView(raw.buffer, raw.byteOffset, raw.byteLength).getFloat32(0, true)];
}

function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new RigMismatch(`no ${what}`);
  return value;
}

function sizeOf(value: unknown, most: number, what: string): number {
  const isSize = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
  if (!isSize) throw new RigMismatch(`size of the ${what}`);
  return value;
}

function doubled({ x, y, widthPx, heightPx }: PixelBox): PixelBox {
  return { x: 2 * x, y: 2 * y, widthPx: 2 * widthPx, heightPx: 2 * heightPx };
}

/** The box itself, if it lies inside another one and its numbers are multiples of 8. */
function within(box: PixelBox, outer: PixelBox, what: string): PixelBox {
  const { x, y, widthPx, heightPx } = box;
  const isWhole = [x, y, widthPx, heightPx].every((value) => Number.isInteger(value) && value % STEP_PX === 0);
  const isInside =
    x >= outer.x && y >= outer.y && x + widthPx <= outer.x + outer.widthPx && y + heightPx <= outer.y + outer.heightPx;
  if (!isWhole || !isInside || widthPx < STEP_PX || heightPx < STEP_PX) throw new RigMismatch(`box of the ${what}`);
  return box;
}
