import t from "tap";
import { createNodeRuntime } from "../../../../../src/signal/inference/node-runtime.ts";
import { GraphBuilder } from "../../../../../src/signal/onnx/graph-builder.ts";
import { inspectModel } from "../../../../../src/signal/onnx/inspect-model.ts";
import { multipliesSignedExactly } from "../../../../../src/speech/voice/neural/signed-products.ts";
import { toUnsignedWeights } from "../../../../../src/speech/voice/neural/unsigned-weights.ts";

const DEPTH = 128;
const WIDTH = 32;

/** The largest bytes times the largest weights: the products that some processors cannot add exactly. */
function largestProducts(): Uint8Array {
  const graph = new GraphBuilder("largest");
  graph.input("bytes", "uint8", [1, DEPTH]);
  const bytes = new Uint8Array(DEPTH * WIDTH).map((_, index) => (index % 2 === 0 ? 127 : -127));
  const weights = graph.tensor({ name: "weights", type: "int8", dims: [DEPTH, WIDTH], bytes });
  const zero = graph.tensor({ name: "zero", type: "int8", dims: [], bytes: new Uint8Array(1) });
  const byteZero = graph.tensor({ name: "byte-zero", type: "uint8", dims: [], bytes: new Uint8Array(1) });
  graph.node("MatMulInteger", ["bytes", weights, byteZero, zero], {}, "sums");
  graph.output("sums", "int32", [1, WIDTH]);
  return graph.toModel();
}

t.test("unsigned weights mean the same, and are multiplied exactly by every processor", async (t) => {
  const runtime = createNodeRuntime();
  const signed = largestProducts();
  const unsigned = toUnsignedWeights(signed);
  t.same(
    inspectModel(unsigned).tensors.map(({ name, type }) => [name, type]),
    [
      ["weights", "uint8"],
      ["zero", "uint8"],
      ["byte-zero", "uint8"],
    ],
  );
  const exact = Array.from({ length: WIDTH }, (_, column) => DEPTH * 255 * (column % 2 === 0 ? 127 : -127));
  const sumsOf = async (model: Uint8Array) => {
    const session = await runtime.createSession(model);
    const bytes = new runtime.Tensor("uint8", new Uint8Array(DEPTH).fill(255), [1, DEPTH]);
    const { sums } = await session.run({ bytes });
    await session.release();
    return Array.from(sums.data as Int32Array);
  };
  t.same(await sumsOf(unsigned), exact);
  const isExact = JSON.stringify(await sumsOf(signed)) === JSON.stringify(exact);
  t.equal(await multipliesSignedExactly(runtime), isExact, "the test of the processor tells what its products are");
});
