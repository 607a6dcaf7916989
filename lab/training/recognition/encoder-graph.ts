// The encoder: from the spectrum of an utterance to the keys and values that every step of the decoder looks at.
import { GraphBuilder } from "../../../src/signal/onnx/graph-builder.ts";
import { HEAD_WIDTH, HEADS, LAYERS, Layers, WIDTH } from "./layers.ts";
import type { Weights } from "./read-weights.ts";

const MELS = 80;
const MAX_STATES = 1500;
const KERNEL = 3;

/** Returns the bytes of the ONNX file. Input `mel`: float32 [1, 80, 2 n], n up to 1,500; outputs `key0` … `key5`:
 *  float32 [1, 8, 64, n], and `value0` … `value5`: float32 [1, 8, n, 64]. */
export function encoderGraph(weights: Weights): Uint8Array {
  const graph = new GraphBuilder("recognition-encoder");
  const layers = new Layers(graph, weights);
  graph.input("mel", "float32", [1, MELS, "frames"]);
  let x = convolved(layers, "mel", "encoder/conv1", MELS, 1);
  x = convolved(layers, x, "encoder/conv2", WIDTH, 2);
  x = graph.node("Transpose", [x], { perm: [0, 2, 1] });
  x = graph.node("Add", [x, positions(layers, x)]);
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `encoder/layer_${layer}`;
    x = layers.feedForward(graph.node("Add", [x, attention(layers, x, `${name}/self_attention`)]), `${name}/ffn`);
  }
  const states = layers.normalised(x, "encoder/layer_norm");
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `decoder/layer_${layer}/attention/linear_1`;
    const keys = layers.linear(states, name, { rows: { from: 0, to: WIDTH } });
    const values = layers.linear(states, name, { rows: { from: WIDTH, to: 2 * WIDTH } });
    graph.node("Identity", [layers.heads(keys, "columns")], {}, `key${layer}`);
    graph.node("Identity", [layers.heads(values)], {}, `value${layer}`);
    graph.output(`key${layer}`, "float32", [1, HEADS, HEAD_WIDTH, "states"]);
    graph.output(`value${layer}`, "float32", [1, HEADS, "states", HEAD_WIDTH]);
  }
  return graph.toModel({ opset: 17 });
}

function convolved(layers: Layers, x: string, name: string, inputs: number, stride: number): string {
  const { graph, weights } = layers;
  const weight = graph.constant(weights(`${name}/weight`).values, [WIDTH, inputs, KERNEL], { storage: "float16" });
  const bias = graph.constant(weights(`${name}/bias`).values, [WIDTH]);
  const attributes = { kernel_shape: [KERNEL], pads: [1, 1], strides: [stride] };
  return layers.gelu(graph.node("Conv", [x, weight, bias], attributes));
}

/** The first rows of the table, one for each state. */
function positions({ graph, weights }: Layers, x: string): string {
  const table = graph.constant(weights("encoder/position_encodings/encodings").values, [MAX_STATES, WIDTH], {
    storage: "float16",
  });
  const count = graph.node("Gather", [graph.node("Shape", [x]), graph.ints(1)]);
  return graph.node("Slice", [table, graph.ints(0), count, graph.ints(0)]);
}

/** Head by head: the table of one head stays in the processor's cache, and thirty seconds take a ninth of the memory.
 *  */
function attention(layers: Layers, x: string, name: string): string {
  const { graph } = layers;
  const normalised = layers.normalised(x, `${name}/layer_norm`);
  const all = layers.linear(normalised, `${name}/linear_0`, { queries: WIDTH });
  const [query, key, value] = graph.nodeWithOutputs("Split", [all], { axis: 2 }, 3);
  const queries = graph.nodeWithOutputs("Split", [query], { axis: 2 }, HEADS);
  const keys = graph.nodeWithOutputs(
    "Split",
    [graph.node("Transpose", [key], { perm: [0, 2, 1] })],
    { axis: 1 },
    HEADS,
  );
  const values = graph.nodeWithOutputs("Split", [value], { axis: 2 }, HEADS);
  const heard = queries.map((part, head) => {
    const odds = graph.node("Softmax", [graph.node("MatMul", [part, keys[head]])], { axis: -1 });
    return graph.node("MatMul", [odds, values[head]]);
  });
  return layers.linear(graph.node("Concat", heard, { axis: 2 }), `${name}/linear_1`);
}
