// Checks that the value of an ONNX attribute is unambiguous.
import { ONNX_ATTRIBUTE } from "./onnx-format.ts";

/** Value fields of an attribute, and the field that belongs to each kind. Source: onnx.proto, AttributeProto. */
const VALUE_FIELDS: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 22, 23];
const FIELD_OF_KIND: ReadonlyMap<number, number> = new Map([
  [ONNX_ATTRIBUTE.float, 2],
  [ONNX_ATTRIBUTE.int, 3],
  [ONNX_ATTRIBUTE.string, 4],
  [ONNX_ATTRIBUTE.tensor, 5],
  [ONNX_ATTRIBUTE.graph, 6],
  [ONNX_ATTRIBUTE.floats, 7],
  [ONNX_ATTRIBUTE.ints, 8],
  [ONNX_ATTRIBUTE.strings, 9],
]);
/** Kinds with a single value. If there are two, one parser uses the first and another the last. */
const SINGLE_FIELDS: readonly number[] = [2, 3, 4, 5, 6];

/** True for the fields of an attribute that hold a value. */
export function isValueField(field: number): boolean {
  return VALUE_FIELDS.includes(field);
}

/** True if an attribute holds only values of its own kind, and a single value if the kind has one. */
export function isOneValue(kind: number, valueFields: readonly number[]): boolean {
  const field = FIELD_OF_KIND.get(kind);
  const isSingle = field !== undefined && SINGLE_FIELDS.includes(field);
  return field !== undefined && valueFields.every((used) => used === field) && !(isSingle && valueFields.length > 1);
}
