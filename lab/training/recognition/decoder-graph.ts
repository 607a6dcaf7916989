// The decoder: from the tokens so far to the odds of the next one.
import { GraphBuilder } from "../../../src/signal/onnx/graph-builder.ts";
import { HEAD_WIDTH, HEADS, LAYERS, Layers, WIDTH } from "./layers.ts";
import { quantise } from "./quantise.ts";
import type { Weights } from "./read-weights.ts";

const MAX_TOKENS = 448;
/** Score of what may not be looked at. */
const HIDDEN = -1e9;

/** Returns the bytes of the ONNX file. Inputs: `tokens` int64 [1, s], `past` float32 [12, 8, p, 64] (keys of the six
 *  layers, then their values), and the encoder's `key0` …, `value0` …. Outputs: `odds` float32 [1, 51865], natural
 *  logarithms of the probabilities of what follows the last token, and `present` float32 [12, 8, p + s, 64]. */
export function decoderGraph(weights: Weights): Uint8Array {
  const graph = new GraphBuilder("recognition-decoder");
  const layers = new Layers(graph, weights);
  graph.input("tokens", "int64", [1, "step"]);
  graph.input("past", "float32", [2 * LAYERS, HEADS, "past", HEAD_WIDTH]);
  for (let layer = 0; layer < LAYERS; layer++) {
    graph.input(`key${layer}`, "float32", [1, HEADS, HEAD_WIDTH, "states"]);
    graph.input(`value${layer}`, "float32", [1, HEADS, "states", HEAD_WIDTH]);
  }
  const embedding = weights("decoder/embeddings/weight");
  const words = layers.matrix(quantise(embedding), embedding.dims);
  const pasts = graph.nodeWithOutputs("Split", ["past"], { axis: 0 }, 2 * LAYERS);
  const { rows, mask } = order(layers);
  let x = graph.node("Add", [embedded(layers, words), rows]);
  const presents: string[] = [];
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `decoder/layer_${layer}`;
    const own = selfAttention(layers, x, `${name}/self_attention`, pasts[layer], pasts[LAYERS + layer], mask);
    presents[layer] = own.keys;
    presents[LAYERS + layer] = own.values;
    x = graph.node("Add", [x, own.heard]);
    x = graph.node("Add", [x, crossAttention(layers, x, `${name}/attention`, `key${layer}`, `value${layer}`)]);
    x = layers.feedForward(x, `${name}/ffn`);
  }
  graph.node("Concat", presents, { axis: 0 }, "present");
  graph.output("present", "float32", [2 * LAYERS, HEADS, "total", HEAD_WIDTH]);
  const last = graph.node("Gather", [x, graph.constant([-1], [], { storage: "int64" })], { axis: 1 });
  const scores = layers.product(layers.normalised(last, "decoder/layer_norm"), words, "decoder/embeddings");
  graph.node("LogSoftmax", [scores], { axis: -1 }, "odds");
  graph.output("odds", "float32", [1, embedding.dims[0]]);
  return graph.toModel({ opset: 17 });
}

/** The columns of the tokens in the matrix that also gives the odds: [1, s, 512]. */
function embedded({ graph, zero }: Layers, { matrix, scales }: { matrix: string; scales: string }): string {
  const columns = graph.node("Cast", [graph.node("Gather", [matrix, "tokens"], { axis: 1 })], { to: 1 });
  const centred = graph.node("Sub", [columns, graph.node("Cast", [zero], { to: 1 })]);
  const scaled = graph.node("Mul", [centred, graph.node("Gather", [scales, "tokens"])]);
  return graph.node("Transpose", [scaled], { perm: [1, 2, 0] });
}

/** `rows`: the positions of the tokens, [s, 512]. `mask`: [s, p + s], hides later tokens from earlier ones. */
function order({ graph, weights }: Layers): { rows: string; mask: string } {
  const table = graph.constant(weights("decoder/position_encodings/encodings").values, [MAX_TOKENS, WIDTH], {
    storage: "float16",
  });
  const past = graph.node("Gather", [graph.node("Shape", ["past"]), graph.ints(2)]);
  const step = graph.node("Gather", [graph.node("Shape", ["tokens"]), graph.ints(1)]);
  const total = graph.node("Add", [past, step]);
  const numbers = graph.constant(
    Float32Array.from({ length: MAX_TOKENS }, (_, i) => i),
    [MAX_TOKENS],
  );
  const seen = graph.node("Slice", [numbers, graph.ints(0), total, graph.ints(0)]);
  const own = graph.node("Unsqueeze", [graph.node("Slice", [numbers, past, total, graph.ints(0)]), graph.ints(1)]);
  const isLater = graph.node("Cast", [graph.node("Greater", [seen, own])], { to: 1 });
  return {
    rows: graph.node("Slice", [table, past, total, graph.ints(0)]),
    mask: graph.node("Mul", [isLater, graph.scalar(HIDDEN)]),
  };
}

function selfAttention(
  layers: Layers,
  x: string,
  name: string,
  pastKeys: string,
  pastValues: string,
  mask: string,
): { heard: string; keys: string; values: string } {
  const { graph } = layers;
  const all = layers.linear(layers.normalised(x, `${name}/layer_norm`), `${name}/linear_0`, { queries: WIDTH });
  const [query, key, value] = graph.nodeWithOutputs("Split", [all], { axis: 2 }, 3);
  const keys = graph.node("Concat", [pastKeys, layers.heads(key)], { axis: 2 });
  const values = graph.node("Concat", [pastValues, layers.heads(value)], { axis: 2 });
  const columns = graph.node("Transpose", [keys], { perm: [0, 1, 3, 2] });
  const scores = graph.node("MatMul", [layers.heads(query), columns]);
  const odds = graph.node("Softmax", [graph.node("Add", [scores, mask])], { axis: -1 });
  const heard = layers.linear(layers.joined(graph.node("MatMul", [odds, values])), `${name}/linear_1`);
  return { heard, keys, values };
}

function crossAttention(layers: Layers, x: string, name: string, keys: string, values: string): string {
  const { graph } = layers;
  const query = layers.linear(layers.normalised(x, `${name}/layer_norm`), `${name}/linear_0`, { queries: WIDTH });
  const scores = graph.node("MatMul", [layers.heads(query), keys]);
  const odds = graph.node("Softmax", [scores], { axis: -1 });
  return layers.linear(layers.joined(graph.node("MatMul", [odds, values])), `${name}/linear_2`);
}
