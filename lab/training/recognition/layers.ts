// The layers that encoder and decoder are made of.
import type { GraphBuilder } from "../../../src/signal/onnx/graph-builder.ts";
import { type QuantisedWeights, quantise } from "./quantise.ts";
import type { Weights, WeightTensor } from "./read-weights.ts";

/** Of Whisper base. */
export const WIDTH = 512;
export const HEADS = 8;
export const LAYERS = 6;
export const HEAD_WIDTH = WIDTH / HEADS;
/** Queries are divided by the root of the width of a head: a power of two, so that it costs no precision to store them
 *  divided. */
const QUERY_SCALE = HEAD_WIDTH ** -0.5;
const EPSILON = 1e-5;

export class Layers {
  readonly graph: GraphBuilder;
  readonly weights: Weights;
  readonly #zero: string;

  constructor(graph: GraphBuilder, weights: Weights) {
    this.graph = graph;
    this.weights = weights;
    this.#zero = graph.tensor({ name: "zero", type: "int8", dims: [], bytes: new Uint8Array(1) });
  }

  /** x · weights + bias in 8 bits: [.., inputs] → [.., outputs]. `name`: of the layer in the file of weights. `rows`:
   *  those to take of a layer that several share. `queries`: how many of the first outputs are queries. */
  linear(x: string, name: string, options: { rows?: { from: number; to: number }; queries?: number } = {}): string {
    const { rows: only, queries = 0 } = options;
    const weight = rowsOf(this.weights(`${name}/weight`), only);
    const bias = rowsOf(this.weights(`${name}/bias`), only);
    for (let i = 0; i < queries * weight.dims[1]; i++) weight.values[i] *= QUERY_SCALE;
    for (let i = 0; i < queries; i++) bias.values[i] *= QUERY_SCALE;
    const product = this.product(x, this.matrix(quantise(weight), weight.dims), only ? `${name}/${only.from}` : name);
    return this.graph.node("Add", [product, this.graph.constant(bias.values, bias.dims)]);
  }

  /** Stores 8-bit weights; returns the names of the matrix and its scales. */
  matrix(
    { bytes, scales }: QuantisedWeights,
    [outputs, inputs]: readonly number[],
  ): { matrix: string; scales: string } {
    const scaleName = this.graph.constant(scales, [outputs]);
    const matrix = `${scaleName}_weights`;
    const raw = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.graph.tensor({ name: matrix, type: "int8", dims: [inputs, outputs], bytes: raw });
    return { matrix, scales: scaleName };
  }

  /** x · weights, with x rounded to 8 bits over its own range. ONNX Runtime makes one node of these. */
  product(x: string, { matrix, scales }: { matrix: string; scales: string }, name: string): string {
    const { graph } = this;
    const [rounded, scale, zero] = graph.nodeWithOutputs("DynamicQuantizeLinear", [x], {}, 3);
    const sums = graph.node("MatMulInteger", [rounded, matrix, zero, this.#zero], {}, `${name}/sums`);
    const scaled = graph.node("Cast", [sums], { to: 1 });
    return graph.node("Mul", [scaled, graph.node("Mul", [scale, scales])]);
  }

  /** Zero of the stored bytes: another number where the weights were made unsigned. */
  get zero(): string {
    return this.#zero;
  }

  normalised(x: string, name: string): string {
    const gamma = this.graph.constant(this.weights(`${name}/gamma`).values, [WIDTH]);
    const beta = this.graph.constant(this.weights(`${name}/beta`).values, [WIDTH]);
    return this.graph.node("LayerNormalization", [x, gamma, beta], { axis: -1, epsilon: { float: EPSILON } });
  }

  /** x Φ(x) in the form that ONNX Runtime makes one node of. */
  gelu(x: string): string {
    const { graph } = this;
    const error = graph.node("Erf", [graph.node("Div", [x, graph.scalar(Math.SQRT2)])]);
    const share = graph.node("Add", [error, graph.scalar(1)]);
    return graph.node("Mul", [graph.node("Mul", [x, share]), graph.scalar(0.5)]);
  }

  /** x + the feed-forward network of a layer. */
  feedForward(x: string, layer: string): string {
    const inner = this.gelu(this.linear(this.normalised(x, `${layer}/layer_norm`), `${layer}/linear_0`));
    return this.graph.node("Add", [x, this.linear(inner, `${layer}/linear_1`)]);
  }

  /** [1, n, 512] → [1, 8, n, 64], or for keys in the order of a product, [1, 8, 64, n]. */
  heads(x: string, order: "rows" | "columns" = "rows"): string {
    const split = this.graph.node("Reshape", [x, this.graph.ints(1, -1, HEADS, HEAD_WIDTH)]);
    return this.graph.node("Transpose", [split], { perm: order === "rows" ? [0, 2, 1, 3] : [0, 2, 3, 1] });
  }

  /** [1, 8, n, 64] → [1, n, 512]. */
  joined(x: string): string {
    const rows = this.graph.node("Transpose", [x], { perm: [0, 2, 1, 3] });
    return this.graph.node("Reshape", [rows, this.graph.ints(1, -1, WIDTH)]);
  }
}

function rowsOf({ dims, values }: WeightTensor, only?: { from: number; to: number }): WeightTensor {
  if (!only) return { dims, values };
  const width = dims[1] ?? 1;
  return { dims: [only.to - only.from, ...dims.slice(1)], values: values.slice(only.from * width, only.to * width) };
}
