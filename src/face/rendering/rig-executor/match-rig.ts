// Whether a graph is one that our writer writes: then the executor may render it, because it renders what the writer
// describes. The graph of the sizes that the file has is made again and compared with the file, node by node and
// constant by constant; only a face's own data may differ.
import type { AttributeValue, Graph, GraphNode, GraphTensor, GraphValue } from "../../../signal/onnx/graph.ts";
import {
  type InspectedNode,
  type InspectedTensor,
  inspectModel,
  type ModelInspection,
} from "../../../signal/onnx/inspect-model.ts";
import { ONNX_TYPE_BYTES } from "../../../signal/onnx/onnx-format.ts";
import type { RigTensorName } from "../../rig-graph/rig-data.ts";
import { rigGraphOf } from "../../rig-graph/rig-graph.ts";
import type { RigShape } from "../../rig-graph/rig-shape.ts";
import { RigMismatch, readRigShape } from "./read-rig-shape.ts";

/** A rig for the executor: views into the file. */
export interface MatchedRig {
  shape: RigShape;
  /** Little-endian elements as `rig-data.ts` describes them; fields are float16, textures uint8, the rest float32. */
  tensors: ReadonlyMap<RigTensorName, Uint8Array>;
}

/** What our writer declares. */
const IR_VERSION = 8;
const OPSETS = JSON.stringify([{ domain: "", version: 16 }]);

/** The rig of an ONNX file, or the first thing in which the file differs from what the writer writes. Throws
 *  EngineError(bundle-invalid) if the bytes are no ONNX file. */
export function matchRig(file: Uint8Array): MatchedRig | { mismatch: string } {
  const model = inspectModel(file);
  try {
    return match(model);
  } catch (error) {
    if (error instanceof RigMismatch) return { mismatch: error.message };
    throw error;
  }
}

function match(model: ModelInspection): MatchedRig {
  const isPlain = model.extras.length === 0 && model.externalData.length === 0;
  if (!isPlain || model.irVersion !== IR_VERSION || JSON.stringify(model.opsets) !== OPSETS) {
    throw new RigMismatch("format");
  }
  const shape = readRigShape(model);
  const { graph, tensorNames } = rigGraphOf(shape);
  compareGraph(model, graph, new Set(tensorNames.values()));
  const stored = new Map(model.tensors.map(({ name, raw }) => [name, raw]));
  return { shape, tensors: new Map([...tensorNames].map(([key, name]) => [key, stored.get(name)!])) };
}

/** Throws RigMismatch unless all is equal but the bytes of the tensors named in `data`. */
function compareGraph(model: ModelInspection, graph: Graph, data: ReadonlySet<string>): void {
  const counts = [model.nodes.length, model.tensors.length, model.inputs.length, model.outputs.length];
  const written = [graph.nodes.length, graph.initialisers.length, graph.inputs.length, graph.outputs.length];
  if (counts.join() !== written.join()) throw new RigMismatch(`${counts} parts, not ${written}`);
  for (const [i, node] of graph.nodes.entries()) {
    if (!isSameNode(model.nodes[i], node)) throw new RigMismatch(`node ${i}, a ${model.nodes[i].operator}`);
  }
  for (const [i, tensor] of graph.initialisers.entries()) {
    if (!isSameTensor(model.tensors[i], tensor, data.has(tensor.name)))
      throw new RigMismatch(`constant ${tensor.name}`);
  }
  const isSameValue = (value: GraphValue, i: number, list: ModelInspection["inputs"]) =>
    value.name === list[i].name && value.type === list[i].type && value.dims.join() === list[i].dims?.join();
  const areSame =
    graph.inputs.every((value, i) => isSameValue(value, i, model.inputs)) &&
    graph.outputs.every((value, i) => isSameValue(value, i, model.outputs));
  if (!areSame) throw new RigMismatch("inputs or outputs");
}

function isSameNode(node: InspectedNode, written: GraphNode): boolean {
  const attributes = Object.entries(written.attributes);
  return (
    node.operator === written.operator &&
    isSameList(node.inputs, written.inputs) &&
    isSameList(node.outputs, written.outputs) &&
    node.attributes.size === attributes.length &&
    attributes.every(([name, value]) => isSameAttribute(node.attributes.get(name), value))
  );
}

function isSameAttribute(value: AttributeValue | undefined, written: AttributeValue): boolean {
  return value === written || JSON.stringify(value) === JSON.stringify(written);
}

function isSameTensor(tensor: InspectedTensor, written: GraphTensor, isData: boolean): boolean {
  const elements = written.dims.reduce((product, size) => product * size, 1);
  return (
    tensor.name === written.name &&
    tensor.type === written.type &&
    !tensor.hasTypedData &&
    isSameList(tensor.dims, written.dims) &&
    tensor.raw.length === elements * ONNX_TYPE_BYTES[written.type] &&
    (isData || isSameList(tensor.raw, written.bytes))
  );
}

function isSameList<T>(list: ArrayLike<T>, written: ArrayLike<T>): boolean {
  if (list.length !== written.length) return false;
  for (let i = 0; i < list.length; i++) if (list[i] !== written[i]) return false;
  return true;
}
