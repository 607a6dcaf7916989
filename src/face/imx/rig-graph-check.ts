// Decides whether ONNX Runtime may load a rig graph: only operators that our baker writes, and bounded memory.
import { type InspectedTensor, inspectModel, type ModelInspection } from "../../signal/onnx/inspect-model.ts";
import { ONNX_TYPE_BYTES } from "../../signal/onnx/onnx-format.ts";
import { imxError } from "./member-table.ts";
import { RIG_SHAPE_RULES, type Shape } from "./rig-shape-rules.ts";
import { multiplications } from "./rig-work.ts";

const MIN_OPSET = 16;
const MAX_OPSET = 18;
const MAX_IR_VERSION = 10;
const MAX_NODES = 4096;
const MAX_RANK = 6;
/** Most elements of one tensor, in the file or from a node: enough for a 1024² region with 16 channels. */
const MAX_ELEMENTS = 16 * 2 ** 20;
/** Most elements of all node outputs together, which also bounds the time; a rig of 384² has about 9 million. */
const MAX_TOTAL_ELEMENTS = 256 * 2 ** 20;
/** Most multiplications of the operators with more work than the size of their output; a rig of 384² needs 0.6
 *  million. */
const MAX_MULTIPLICATIONS = 2 ** 28;
const MAX_WEIGHT_BYTES = 32 * 2 ** 20;

/** Throws EngineError(bundle-invalid) with the reason if the graph is not an allowed rig graph. `parameterCount`: the
 *  face parameters that it takes. */
export function checkRigGraph(bytes: Uint8Array, parameterCount: number): void {
  const model = inspectModel(bytes);
  checkVersions(model);
  if (model.externalData.length > 0) throw imxError("its rig graph refers to data outside the file");
  if (model.extras.length > 0) throw imxError(`its rig graph contains a disallowed part: ${model.extras[0]}`);
  if (model.nodes.length > MAX_NODES) throw imxError(`its rig graph has more than ${MAX_NODES} nodes`);
  for (const tensor of model.tensors) checkTensor(tensor);
  const weightBytes = model.tensors.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  if (weightBytes > MAX_WEIGHT_BYTES) throw imxError("the weights of its rig graph are too large");
  checkSignature(model, parameterCount);
  checkNames(model);
  checkNodes(model);
}

function checkVersions({ irVersion, opsets }: ModelInspection): void {
  if (irVersion < 3 || irVersion > MAX_IR_VERSION) throw imxError(`its rig graph has IR version ${irVersion}`);
  const isPlain = opsets.length === 1 && (opsets[0].domain === "" || opsets[0].domain === "ai.onnx");
  if (!isPlain) throw imxError("its rig graph must use only the standard ONNX operator set");
  const { version } = opsets[0];
  if (version < MIN_OPSET || version > MAX_OPSET) {
    throw imxError(`its rig graph has operator set ${version}, not ${MIN_OPSET} to ${MAX_OPSET}`);
  }
}

/** Checks that the declared size of a tensor is the size of its data. */
function checkTensor({ name, type, dims, rawBytes, hasTypedData }: InspectedTensor): void {
  const label = `tensor ${quote(name)} of its rig graph`;
  if (!type) throw imxError(`${label} has a type that a rig may not use`);
  if (dims.length > MAX_RANK) throw imxError(`${label} has ${dims.length} axes`);
  const elements = elementsOf(dims);
  if (elements > MAX_ELEMENTS) throw imxError(`${label} declares ${elements} elements, which is too many`);
  if (hasTypedData || elements * ONNX_TYPE_BYTES[type] !== rawBytes) {
    throw imxError(`${label} declares ${elements} elements of ${type} but has ${rawBytes} bytes of raw data`);
  }
}

/** Checks that names are unique. With a duplicate name, one value could be checked and the other one used. */
function checkNames({ inputs, tensors, nodes }: ModelInspection): void {
  const names = [...inputs, ...tensors].map(({ name }) => name).concat(nodes.flatMap(({ outputs }) => outputs));
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw imxError(`its rig graph has two values named ${quote(name)}`);
    seen.add(name);
  }
}

/** Infers the shapes through the graph: every operator must be known, and its output must be small. */
function checkNodes({ nodes, tensors, inputs }: ModelInspection): void {
  const shapes = new Map<string, Shape>();
  for (const { name, dims } of inputs) shapes.set(name, dims as number[]);
  for (const { name, dims } of tensors) shapes.set(name, dims);
  const ints = new Map(tensors.map((tensor) => [tensor.name, tensor.ints]));
  let madeElements = 0;
  let multiplied = 0;
  for (const node of nodes) {
    const rule = RIG_SHAPE_RULES.get(node.operator);
    if (!rule) throw imxError(`its rig graph uses the operator ${quote(node.operator)}, which is not allowed in a rig`);
    const facts = {
      inputs: node.inputs.map((name) => shapes.get(name)),
      isGiven: node.inputs.map((name) => name !== ""),
      constants: node.inputs.map((name) => ints.get(name)),
      attributes: node.attributes,
      outputCount: node.outputs.length,
    };
    const made = rule(facts);
    const isSound = made?.length === node.outputs.length && made.every((shape) => shape.every(isSize));
    if (!isSound) throw imxError(`the output size of a ${node.operator} in its rig graph is unknown`);
    for (const [i, shape] of made.entries()) {
      const elements = elementsOf(shape);
      madeElements += elements;
      if (elements > MAX_ELEMENTS || shape.length > MAX_RANK || madeElements > MAX_TOTAL_ELEMENTS) {
        throw imxError(
          `a ${node.operator} in its rig graph produces a tensor of [${shape.slice(0, MAX_RANK)}], which is too large`,
        );
      }
      shapes.set(node.outputs[i], shape);
    }
    multiplied += multiplications(node.operator, facts, made);
    if (!(multiplied <= MAX_MULTIPLICATIONS)) {
      throw imxError(`a ${node.operator} in its rig graph exceeds the limit of multiplications`);
    }
  }
}

function isSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0;
}

function checkSignature({ inputs, outputs }: ModelInspection, parameterCount: number): void {
  const isParameters =
    inputs.length === 1 && inputs[0].type === "float32" && inputs[0].dims?.join() === `1,${parameterCount}`;
  if (!isParameters) throw imxError(`its rig graph must take one float32 input of [1,${parameterCount}]`);
  const areFixed = outputs.every(
    ({ dims }) => dims?.every((size) => typeof size === "number") && elementsOf(dims as number[]) <= MAX_ELEMENTS,
  );
  if (outputs.length === 0 || !areFixed) throw imxError("the outputs of its rig graph have no fixed size");
}

function elementsOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}

/** Quotes an untrusted name, truncated for a message. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
