// An ONNX graph in memory.
import type { OnnxType } from "./onnx-format.ts";

/** An attribute of a node. A bare number is an integer and a bare array a list of integers; floats are marked, because
 *  ONNX distinguishes them from integers and JavaScript does not. */
export type AttributeValue = number | string | readonly number[] | { float: number } | { floats: readonly number[] };

/** Size of an axis: a number, or a name for a dynamic size. */
export type Dimension = number | string;

export interface GraphNode {
  operator: string;
  /** Value names; an empty name omits an optional input. */
  inputs: readonly string[];
  outputs: readonly string[];
  attributes: Readonly<Record<string, AttributeValue>>;
}

export interface GraphTensor {
  name: string;
  type: OnnxType;
  dims: readonly number[];
  /** Little-endian elements, row-major. */
  bytes: Uint8Array;
}

export interface GraphValue {
  name: string;
  type: OnnxType;
  dims: readonly Dimension[];
}

/** The content of a graph, for a writer. */
export interface Graph {
  name: string;
  nodes: readonly GraphNode[];
  initialisers: readonly GraphTensor[];
  inputs: readonly GraphValue[];
  outputs: readonly GraphValue[];
}
