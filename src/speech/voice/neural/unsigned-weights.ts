// Turns signed 8-bit weights of an ONNX file into unsigned ones with the same meaning: 128 is added to each weight and
// to each zero point, so that their differences stay. The file stores both as tensors of one type, and nothing else.
import protobuf from "protobufjs/minimal.js";
import { ONNX_TYPE } from "../../../signal/onnx/onnx-format.ts";

/** Of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_TENSOR = 5;
const TENSOR_TYPE = 2;
const TENSOR_BYTES = 9;
const SIGN_BIT = 0x80;

/** A copy of the file with its int8 tensors as uint8. Throws Error if one of them is not stored as raw data. */
export function toUnsignedWeights(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const reader = protobuf.Reader.create(copy);
  eachField(reader, copy.length, (field) => {
    if (field !== MODEL_GRAPH) return false;
    eachField(reader, endOf(reader), (inner) => {
      if (inner !== GRAPH_TENSOR) return false;
      makeUnsigned(reader, endOf(reader), copy);
      return true;
    });
    return true;
  });
  return copy;
}

function makeUnsigned(reader: protobuf.Reader, end: number, bytes: Uint8Array): void {
  let typeAt: number | undefined;
  let from = 0;
  let to = 0;
  eachField(reader, end, (field) => {
    if (field === TENSOR_TYPE) {
      const at = reader.pos;
      if (reader.uint32() === ONNX_TYPE.int8) typeAt = at;
      return true;
    }
    if (field !== TENSOR_BYTES) return false;
    to = endOf(reader);
    from = reader.pos;
    reader.pos = to;
    return true;
  });
  if (typeAt === undefined) return;
  if (to === from) throw new Error("an int8 tensor is not stored as raw data");
  bytes[typeAt] = ONNX_TYPE.uint8;
  for (let at = from; at < to; at++) bytes[at] ^= SIGN_BIT;
}

/** `read` returns whether it has read the field. */
function eachField(reader: protobuf.Reader, end: number, read: (field: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!read(tag >>> 3)) reader.skipType(tag & 7);
  }
}

function endOf(reader: protobuf.Reader): number {
  const length = reader.uint32();
  return reader.pos + length;
}
