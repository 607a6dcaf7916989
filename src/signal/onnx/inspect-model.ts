// Inspects an untrusted ONNX file without running it and without relying on the sizes that it declares.
import protobuf from "protobufjs/minimal.js";
import { EngineError } from "../../../shared/engine-error.ts";
import { isOneValue, isValueField } from "./attribute-value.ts";
import type { AttributeValue } from "./graph.ts";
import { ONNX_ATTRIBUTE, type OnnxType, onnxTypeName } from "./onnx-format.ts";

export interface InspectedNode {
  /** Operator, with its domain as prefix unless it is the standard domain: `GridSample`, `com.example::Twist`. */
  operator: string;
  inputs: string[];
  outputs: string[];
  /** Attributes by name, except tensors and subgraphs. */
  attributes: Map<string, AttributeValue>;
}

export interface InspectedTensor {
  name: string;
  /** Undefined for types that our graphs never store (strings, complex numbers). */
  type: OnnxType | undefined;
  /** As declared; each an integer from 0 to 2^53. */
  dims: number[];
  /** Actual size of the raw data in the file, bytes. */
  rawBytes: number;
  /** The raw data, a view into the file; may be empty. */
  raw: Uint8Array;
  /** True if elements are stored in a typed field, instead of or besides the raw data. */
  hasTypedData: boolean;
  /** Values of an int64 tensor of at most 16 elements, such as a shape; undefined for others. */
  ints: number[] | undefined;
}

export interface InspectedValue {
  name: string;
  type: OnnxType | undefined;
  /** Size of each axis, or the name of a dynamic axis; undefined if no shape is given. */
  dims: (number | string)[] | undefined;
}

export interface ModelInspection {
  irVersion: number;
  /** Operator sets by domain; the standard domain is the empty string. */
  opsets: { domain: string; version: number }[];
  nodes: InspectedNode[];
  /** Weights, and tensors in node attributes. */
  tensors: InspectedTensor[];
  inputs: InspectedValue[];
  outputs: InspectedValue[];
  /** Locations outside the file that tensors refer to. */
  externalData: string[];
  /** Features that a plain graph does not have: `subgraph`, `function`, `sparse tensor`, `training`, and ambiguous
   *  attributes. */
  extras: string[];
}

type Reader = protobuf.Reader;

const VARINT = 0;
const DELIMITED = 2;
const FIXED32 = 5;
const MAX_SHOWN_INTS = 16;

/** Returns the content of an ONNX file. Reads within bounds only; the memory use depends on the size of the file, never
 *  on numbers in it. Throws EngineError(bundle-invalid) if the bytes are not an ONNX model. */
export function inspectModel(bytes: Uint8Array): ModelInspection {
  const inspection: ModelInspection = {
    irVersion: 0,
    opsets: [],
    nodes: [],
    tensors: [],
    inputs: [],
    outputs: [],
    externalData: [],
    extras: [],
  };
  let hasGraph = false;
  try {
    const reader = protobuf.Reader.create(bytes);
    eachField(reader, bytes.length, (field, wireType) => {
      if (field === 1 && wireType === VARINT) inspection.irVersion = integer(reader);
      else if (field === 7 && wireType === DELIMITED) {
        hasGraph = true;
        readGraph(reader, endOf(reader), inspection);
      } else if (field === 8 && wireType === DELIMITED) inspection.opsets.push(readOpset(reader, endOf(reader)));
      else {
        if (field === 20) inspection.extras.push("training");
        if (field === 25) inspection.extras.push("function");
        reader.skipType(wireType);
      }
    });
  } catch (cause) {
    throw new EngineError("bundle-invalid", "The graph is damaged: it cannot be read as an ONNX model.", { cause });
  }
  if (!hasGraph) throw new EngineError("bundle-invalid", "The graph is damaged: it contains no ONNX graph.");
  return inspection;
}

function readGraph(reader: Reader, end: number, inspection: ModelInspection): void {
  eachField(reader, end, (field, wireType) => {
    if (wireType !== DELIMITED) return reader.skipType(wireType);
    if (field === 1) inspection.nodes.push(readNode(reader, endOf(reader), inspection));
    else if (field === 5) readTensor(reader, endOf(reader), inspection);
    else if (field === 11) inspection.inputs.push(readValue(reader, endOf(reader)));
    else if (field === 12) inspection.outputs.push(readValue(reader, endOf(reader)));
    else {
      if (field === 15) inspection.extras.push("sparse tensor");
      reader.skipType(wireType);
    }
  });
}

function readNode(reader: Reader, end: number, inspection: ModelInspection): InspectedNode {
  const node: InspectedNode = { operator: "", inputs: [], outputs: [], attributes: new Map() };
  let domain = "";
  eachField(reader, end, (field, wireType) => {
    if (wireType !== DELIMITED) return reader.skipType(wireType);
    if (field === 1) node.inputs.push(reader.string());
    else if (field === 2) node.outputs.push(reader.string());
    else if (field === 4) node.operator = reader.string();
    else if (field === 5) readAttribute(reader, endOf(reader), node, inspection);
    else if (field === 7) domain = reader.string();
    else reader.skipType(wireType);
  });
  if (domain !== "" && domain !== "ai.onnx") node.operator = `${domain}::${node.operator}`;
  return node;
}

function readAttribute(reader: Reader, end: number, node: InspectedNode, inspection: ModelInspection): void {
  let name = "";
  let kind = 0;
  let text = "";
  const ints: number[] = [];
  const floats: number[] = [];
  const valueFields: number[] = [];
  eachField(reader, end, (field, wireType) => {
    if (isValueField(field)) valueFields.push(field);
    const isTensor = field === 5 || field === 10;
    if (isTensor && wireType === DELIMITED) return readTensor(reader, endOf(reader), inspection);
    if (field === 1 && wireType === DELIMITED) name = reader.string();
    else if (field === 3 || field === 8) ints.push(...integers(reader, wireType));
    else if (field === 2 || field === 7) floats.push(...singles(reader, wireType));
    else if (field === 4 && wireType === DELIMITED) text = reader.string();
    else if (field === 20 && wireType === VARINT) kind = integer(reader);
    else {
      if (field === 6 || field === 11) inspection.extras.push("subgraph");
      if (field === 22 || field === 23) inspection.extras.push("sparse tensor");
      reader.skipType(wireType);
    }
  });
  if (!isOneValue(kind, valueFields)) inspection.extras.push("attribute with a value that does not fit its kind");
  if (node.attributes.has(name)) inspection.extras.push("attribute that is given twice");
  if (kind === ONNX_ATTRIBUTE.int) node.attributes.set(name, ints[0] ?? 0);
  else if (kind === ONNX_ATTRIBUTE.ints) node.attributes.set(name, ints);
  else if (kind === ONNX_ATTRIBUTE.float) node.attributes.set(name, { float: floats[0] ?? 0 });
  else if (kind === ONNX_ATTRIBUTE.floats) node.attributes.set(name, { floats });
  else if (kind === ONNX_ATTRIBUTE.string) node.attributes.set(name, text);
}

function readTensor(reader: Reader, end: number, inspection: ModelInspection): void {
  const tensor: InspectedTensor = {
    name: "",
    type: undefined,
    dims: [],
    rawBytes: 0,
    raw: new Uint8Array(0),
    hasTypedData: false,
    ints: undefined,
  };
  let raw: Uint8Array | undefined;
  eachField(reader, end, (field, wireType) => {
    if (field === 1) tensor.dims.push(...integers(reader, wireType).map(natural));
    else if (field === 2 && wireType === VARINT) tensor.type = onnxTypeName(integer(reader));
    else if (field === 8 && wireType === DELIMITED) tensor.name = reader.string();
    else if (field === 9 && wireType === DELIMITED) {
      const rawEnd = endOf(reader);
      raw = reader.buf.subarray(reader.pos, rawEnd);
      reader.pos = rawEnd;
    } else if (field === 13 && wireType === DELIMITED) {
      inspection.externalData.push(readExternalLocation(reader, endOf(reader)));
    } else if (field === 14 && wireType === VARINT) {
      if (integer(reader) !== 0) inspection.externalData.push("");
    } else {
      if ((field >= 4 && field <= 7) || field === 10 || field === 11) tensor.hasTypedData = true;
      reader.skipType(wireType);
    }
  });
  if (raw) tensor.raw = raw;
  tensor.rawBytes = tensor.raw.length;
  if (raw && tensor.type === "int64" && raw.length % 8 === 0 && raw.length <= 8 * MAX_SHOWN_INTS) {
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    tensor.ints = Array.from({ length: raw.length / 8 }, (_, i) => Number(view.getBigInt64(8 * i, true)));
  }
  inspection.tensors.push(tensor);
}

/** Key and value of one external data entry, shown as `key=value`. */
function readExternalLocation(reader: Reader, end: number): string {
  let key = "";
  let value = "";
  eachField(reader, end, (field, wireType) => {
    if (field === 1 && wireType === DELIMITED) key = reader.string();
    else if (field === 2 && wireType === DELIMITED) value = reader.string();
    else reader.skipType(wireType);
  });
  return `${key}=${value}`;
}

function readOpset(reader: Reader, end: number): { domain: string; version: number } {
  const opset = { domain: "", version: 0 };
  eachField(reader, end, (field, wireType) => {
    if (field === 1 && wireType === DELIMITED) opset.domain = reader.string();
    else if (field === 2 && wireType === VARINT) opset.version = integer(reader);
    else reader.skipType(wireType);
  });
  return opset;
}

function readValue(reader: Reader, end: number): InspectedValue {
  const value: InspectedValue = { name: "", type: undefined, dims: undefined };
  eachField(reader, end, (field, wireType) => {
    if (field === 1 && wireType === DELIMITED) value.name = reader.string();
    else if (field === 2 && wireType === DELIMITED) readType(reader, endOf(reader), value);
    else reader.skipType(wireType);
  });
  return value;
}

function readType(reader: Reader, end: number, value: InspectedValue): void {
  eachField(reader, end, (field, wireType) => {
    if (field !== 1 || wireType !== DELIMITED) return reader.skipType(wireType);
    eachField(reader, endOf(reader), (tensorField, tensorWireType) => {
      if (tensorField === 1 && tensorWireType === VARINT) value.type = onnxTypeName(integer(reader));
      else if (tensorField === 2 && tensorWireType === DELIMITED) value.dims = readShape(reader, endOf(reader));
      else reader.skipType(tensorWireType);
    });
  });
}

function readShape(reader: Reader, end: number): (number | string)[] {
  const dims: (number | string)[] = [];
  eachField(reader, end, (field, wireType) => {
    if (field !== 1 || wireType !== DELIMITED) return reader.skipType(wireType);
    let size: number | string = "";
    eachField(reader, endOf(reader), (sizeField, sizeWireType) => {
      if (sizeField === 1 && sizeWireType === VARINT) size = natural(integer(reader));
      else if (sizeField === 2 && sizeWireType === DELIMITED) size = reader.string();
      else reader.skipType(sizeWireType);
    });
    dims.push(size);
  });
  return dims;
}

/** Calls `read` at each field up to `end`; `read` must consume the field's value. Throws RangeError if a field extends
 *  beyond `end`. */
function eachField(reader: Reader, end: number, read: (field: number, wireType: number) => void): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    read(tag >>> 3, tag & 7);
  }
  if (reader.pos !== end) throw new RangeError("a field extends beyond the end of its message");
}

/** Reads a length and returns the end of the message or bytes after it. Throws RangeError if the end lies outside the
 *  file. */
function endOf(reader: Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError("a length points outside the file");
  return end;
}

/** Reads a repeated integer, single or packed. */
function integers(reader: Reader, wireType: number): number[] {
  if (wireType === VARINT) return [integer(reader)];
  if (wireType !== DELIMITED) throw new RangeError("a number is not an integer");
  const values: number[] = [];
  for (const end = endOf(reader); reader.pos < end; ) values.push(integer(reader));
  return values;
}

/** Reads a repeated float, single or packed. */
function singles(reader: Reader, wireType: number): number[] {
  if (wireType === FIXED32) return [reader.float()];
  if (wireType !== DELIMITED) throw new RangeError("a number is not a float");
  const values: number[] = [];
  for (const end = endOf(reader); reader.pos < end; ) values.push(reader.float());
  return values;
}

function integer(reader: Reader): number {
  const value: unknown = reader.int64();
  return typeof value === "number" ? value : Number(String(value));
}

function natural(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a valid size`);
  return value;
}
