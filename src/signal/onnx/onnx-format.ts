// Numbers of the ONNX file format, for writer and reader. Source: onnx.proto (ONNX IR specification).

/** Element types (`TensorProto.DataType`). */
export const ONNX_TYPE = Object.freeze({
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
});

export type OnnxType = keyof typeof ONNX_TYPE;

/** Bytes of one element as stored in `raw_data`. */
export const ONNX_TYPE_BYTES: Readonly<Record<OnnxType, number>> = Object.freeze({
  float32: 4,
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  int32: 4,
  int64: 8,
  bool: 1,
  float16: 2,
  float64: 8,
  uint32: 4,
  uint64: 8,
});

/** Attribute kinds (`AttributeProto.AttributeType`). */
export const ONNX_ATTRIBUTE = Object.freeze({
  float: 1,
  int: 2,
  string: 3,
  tensor: 4,
  graph: 5,
  floats: 6,
  ints: 7,
  strings: 8,
});

/** Name of an element type number, or undefined for types that we never store (strings, complex numbers). */
export function onnxTypeName(number: number): OnnxType | undefined {
  return (Object.keys(ONNX_TYPE) as OnnxType[]).find((name) => ONNX_TYPE[name] === number);
}
