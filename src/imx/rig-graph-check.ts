// Whether a rig graph may be given to ONNX Runtime: only what our baker emits, and nothing that could take much memory.
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import { type InspectedTensor, inspectModel, type ModelInspection } from "../onnx/inspect-model.ts";
import { ONNX_TYPE_BYTES } from "../onnx/onnx-format.ts";
import { imxError } from "./member-table.ts";

/** Operators of the standard set that a rig may use. None can loop, branch, read files or run foreign code, and none but Expand and Resize
 *  makes large tensors from small ones by its own settings. */
export const RIG_OPERATORS: readonly string[] = Object.freeze([
  "Abs",
  "Add",
  "AveragePool",
  "Cast",
  "Clip",
  "Concat",
  "Conv",
  "DepthToSpace",
  "Div",
  "Expand",
  "Floor",
  "Gather",
  "GridSample",
  "Identity",
  "MatMul",
  "Max",
  "Min",
  "Mul",
  "Neg",
  "Relu",
  "Reshape",
  "Resize",
  "Round",
  "Slice",
  "SpaceToDepth",
  "Split",
  "Squeeze",
  "Sub",
  "Transpose",
  "Unsqueeze",
  "Where",
]);

const MIN_OPSET = 16;
const MAX_OPSET = 18;
const MAX_IR_VERSION = 10;
const MAX_NODES = 4096;
const MAX_RANK = 6;
/** Elements of one tensor, in the file or made by a node: room for a 1024² region with 16 channels. */
const MAX_ELEMENTS = 16 * 2 ** 20;
const MAX_WEIGHT_BYTES = 32 * 2 ** 20;

/** Throws ServiceError(VALIDATION_ERROR), saying what is wrong, unless the graph is one that a rig may be. */
export function checkRigGraph(bytes: Uint8Array): void {
  const model = inspectModel(bytes);
  checkVersions(model);
  if (model.externalData.length > 0) throw imxError("its rig graph refers to data outside the file");
  if (model.extras.length > 0) throw imxError(`its rig graph contains a ${model.extras[0]}`);
  if (model.nodes.length > MAX_NODES)
    throw imxError(`its rig graph has ${model.nodes.length} nodes, at most ${MAX_NODES}`);
  for (const { operator } of model.nodes) {
    if (!RIG_OPERATORS.includes(operator))
      throw imxError(`its rig graph uses the operator ${quote(operator)}, which no rig may`);
  }
  for (const tensor of model.tensors) checkTensor(tensor);
  const weightBytes = model.tensors.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  if (weightBytes > MAX_WEIGHT_BYTES) throw imxError("the weights of its rig graph are too large");
  checkGrowth(model);
  checkSignature(model);
}

function checkVersions({ irVersion, opsets }: ModelInspection): void {
  if (irVersion < 3 || irVersion > MAX_IR_VERSION) throw imxError(`its rig graph has IR version ${irVersion}`);
  const isPlain = opsets.length === 1 && (opsets[0].domain === "" || opsets[0].domain === "ai.onnx");
  if (!isPlain) throw imxError("its rig graph must name the standard operator set and no other");
  const { version } = opsets[0];
  if (version < MIN_OPSET || version > MAX_OPSET) {
    throw imxError(`its rig graph has operator set ${version}, not ${MIN_OPSET} to ${MAX_OPSET}`);
  }
}

/** A tensor's claimed size must be the size of the data that is there. */
function checkTensor({ name, type, dims, rawBytes, hasTypedData }: InspectedTensor): void {
  const label = `tensor ${quote(name)} of its rig graph`;
  if (!type) throw imxError(`${label} has a type that no rig uses`);
  if (dims.length > MAX_RANK) throw imxError(`${label} has ${dims.length} axes`);
  const elements = elementsOf(dims);
  if (elements > MAX_ELEMENTS) throw imxError(`${label} claims ${elements} elements`);
  if (hasTypedData || elements * ONNX_TYPE_BYTES[type] !== rawBytes) {
    throw imxError(`${label} claims ${elements} elements of ${type} but holds ${rawBytes} bytes of raw data`);
  }
}

/** Nodes that make large tensors from small ones must say how large in the file, so that it can be checked here. */
function checkGrowth({ nodes, tensors }: ModelInspection): void {
  const intsByName = new Map(tensors.map(({ name, ints }) => [name, ints]));
  for (const { operator, inputs } of nodes) {
    const sizeInput = operator === "Expand" ? inputs[1] : operator === "Resize" ? inputs[3] : undefined;
    if (operator !== "Expand" && operator !== "Resize") continue;
    const size = sizeInput === undefined ? undefined : intsByName.get(sizeInput);
    if (!size) throw imxError(`a ${operator} of its rig graph has no fixed size`);
    if (!size.every((length) => length >= 0) || elementsOf(size) > MAX_ELEMENTS) {
      throw imxError(`a ${operator} of its rig graph makes a tensor of [${size}]`);
    }
  }
}

function checkSignature({ inputs, outputs }: ModelInspection): void {
  const isParameters =
    inputs.length === 1 && inputs[0].type === "float32" && inputs[0].dims?.join() === `1,${FACE_PARAMETER_COUNT}`;
  if (!isParameters) throw imxError(`its rig graph must take one float32 input of [1,${FACE_PARAMETER_COUNT}]`);
  const areFixed = outputs.every(
    ({ dims }) => dims?.every((size) => typeof size === "number") && elementsOf(dims as number[]) <= MAX_ELEMENTS,
  );
  if (outputs.length === 0 || !areFixed) throw imxError("the outputs of its rig graph have no fixed size");
}

function elementsOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}

/** A foreign name, short enough for a message. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
