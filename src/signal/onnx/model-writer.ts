// Writes a graph as an ONNX file. Source of the field numbers: onnx.proto (ONNX IR specification).
import protobuf from "protobufjs/minimal.js";
import type { AttributeValue, Graph, GraphNode, GraphTensor, GraphValue } from "./graph.ts";
import { ONNX_ATTRIBUTE, ONNX_TYPE } from "./onnx-format.ts";

export interface ModelOptions {
  /** Version of the operator set. Default 16: it has GridSample, and all our runtimes support it. */
  opset?: number;
  /** Version of the file format. Default 8, which belongs to opset 16. */
  irVersion?: number;
  /** Name and version of the program that writes the file. */
  producer?: { name: string; version: string };
  /** Metadata, by key. */
  metadata?: Readonly<Record<string, string>>;
}

type Writer = protobuf.Writer;

const VARINT = 0;
const DELIMITED = 2;
const FIXED32 = 5;
const tag = (field: number, wireType: number): number => (field << 3) | wireType;

/** Returns the bytes of an `.onnx` file including weights. Throws RangeError for an unmarked attribute number that is
 *  not an integer. */
export function writeModel(graph: Graph, options: ModelOptions = {}): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(tag(1, VARINT)).int64(options.irVersion ?? 8);
  if (options.producer) {
    writer.uint32(tag(2, DELIMITED)).string(options.producer.name);
    writer.uint32(tag(3, DELIMITED)).string(options.producer.version);
  }
  message(writer, 7, () => writeGraph(writer, graph));
  message(writer, 8, () => writer.uint32(tag(2, VARINT)).int64(options.opset ?? 16));
  for (const [key, value] of Object.entries(options.metadata ?? {})) {
    message(writer, 14, () => writer.uint32(tag(1, DELIMITED)).string(key).uint32(tag(2, DELIMITED)).string(value));
  }
  return writer.finish();
}

function writeGraph(writer: Writer, graph: Graph): void {
  for (const node of graph.nodes) message(writer, 1, () => writeNode(writer, node));
  writer.uint32(tag(2, DELIMITED)).string(graph.name);
  for (const tensor of graph.initialisers) message(writer, 5, () => writeTensor(writer, tensor));
  for (const value of graph.inputs) message(writer, 11, () => writeValue(writer, value));
  for (const value of graph.outputs) message(writer, 12, () => writeValue(writer, value));
}

function writeNode(writer: Writer, node: GraphNode): void {
  for (const input of node.inputs) writer.uint32(tag(1, DELIMITED)).string(input);
  for (const output of node.outputs) writer.uint32(tag(2, DELIMITED)).string(output);
  writer.uint32(tag(4, DELIMITED)).string(node.operator);
  for (const [name, value] of Object.entries(node.attributes)) {
    message(writer, 5, () => {
      writer.uint32(tag(1, DELIMITED)).string(name);
      const kind = writeAttributeValue(writer, name, value);
      writer.uint32(tag(20, VARINT)).int32(ONNX_ATTRIBUTE[kind]);
    });
  }
}

function writeAttributeValue(writer: Writer, name: string, value: AttributeValue): keyof typeof ONNX_ATTRIBUTE {
  if (typeof value === "string") {
    writer.uint32(tag(4, DELIMITED)).string(value);
    return "string";
  }
  if (typeof value === "number") {
    writer.uint32(tag(3, VARINT)).int64(whole(name, value));
    return "int";
  }
  if ("float" in value) {
    writer.uint32(tag(2, FIXED32)).float(value.float);
    return "float";
  }
  if ("floats" in value) {
    for (const item of value.floats) writer.uint32(tag(7, FIXED32)).float(item);
    return "floats";
  }
  for (const item of value) writer.uint32(tag(8, VARINT)).int64(whole(name, item));
  return "ints";
}

function whole(name: string, value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`attribute ${name} must be an integer, or { float: … }`);
  return value;
}

function writeTensor(writer: Writer, tensor: GraphTensor): void {
  for (const size of tensor.dims) writer.uint32(tag(1, VARINT)).int64(size);
  writer.uint32(tag(2, VARINT)).int32(ONNX_TYPE[tensor.type]);
  writer.uint32(tag(8, DELIMITED)).string(tensor.name);
  writer.uint32(tag(9, DELIMITED)).bytes(tensor.bytes);
}

function writeValue(writer: Writer, value: GraphValue): void {
  writer.uint32(tag(1, DELIMITED)).string(value.name);
  message(writer, 2, () =>
    message(writer, 1, () => {
      writer.uint32(tag(1, VARINT)).int32(ONNX_TYPE[value.type]);
      message(writer, 2, () => {
        for (const size of value.dims) {
          message(writer, 1, () => {
            if (typeof size === "number") writer.uint32(tag(1, VARINT)).int64(size);
            else writer.uint32(tag(2, DELIMITED)).string(size);
          });
        }
      });
    }),
  );
}

/** Writes a message field: its length, then the output of `write`. */
function message(writer: Writer, field: number, write: () => void): void {
  writer.uint32(tag(field, DELIMITED)).fork();
  write();
  writer.ldelim();
}
