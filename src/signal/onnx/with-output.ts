// Makes a value inside an ONNX graph an output of it, without rewriting the file.

/** Protobuf: fields of ModelProto, GraphProto, ValueInfoProto and TypeProto. Source: onnx.proto3. */
const MODEL_GRAPH = 7;
const GRAPH_OUTPUT = 12;
const VALUE_NAME = 1;
const VALUE_TYPE = 2;
const TYPE_TENSOR = 1;
/** TypeProto.Tensor { elem_type: FLOAT }. */
const FLOAT_TENSOR = Uint8Array.of(0x08, 0x01);
const DELIMITED = 2;

/** The file with `value` (float32, of any shape) as a further output: readers of protobuf merge a second graph that
 *  follows the first one with it. */
export function withOutput(model: Uint8Array, value: string): Uint8Array {
  const type = field(VALUE_TYPE, field(TYPE_TENSOR, FLOAT_TENSOR));
  const output = join([field(VALUE_NAME, new TextEncoder().encode(value)), type]);
  return join([model, field(MODEL_GRAPH, field(GRAPH_OUTPUT, output))]);
}

function field(number: number, content: Uint8Array): Uint8Array {
  return join([varint((number << 3) | DELIMITED), varint(content.length), content]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Uint8Array.from([...bytes, rest]);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
