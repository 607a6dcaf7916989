// Finds out whether this processor multiplies unsigned by signed bytes exactly. Without VNNI (and its like on ARM), x86
// adds the products of two neighbours in 16 bits, which saturate: the neural voice would sound wrong, without an error.
import type { InferenceRuntime } from "../../../signal/inference/inference-runtime.ts";
import { GraphBuilder } from "../../../signal/onnx/graph-builder.ts";

/** More than one register of each kind is wide. */
const DEPTH = 128;
const WIDTH = 64;
const ROWS = 4;
/** The largest products: a pair of them does not fit 16 bits. */
const LARGEST_UNSIGNED = 255;
const LARGEST_SIGNED = 127;

/** Multiplies the largest bytes by ONNX Runtime's product of matrices, with weights that are packed as the voice's are.
 *  Takes milliseconds. */
export async function multipliesSignedExactly(runtime: InferenceRuntime): Promise<boolean> {
  const graph = new GraphBuilder("signed-products");
  graph.input("bytes", "uint8", [ROWS, DEPTH]);
  const weights = graph.tensor({
    name: "weights",
    type: "int8",
    dims: [DEPTH, WIDTH],
    bytes: new Uint8Array(DEPTH * WIDTH).fill(LARGEST_SIGNED),
  });
  graph.node("MatMulInteger", ["bytes", weights], {}, "sums");
  graph.output("sums", "int32", [ROWS, WIDTH]);
  const session = await runtime.createSession(graph.toModel());
  try {
    const bytes = new Uint8Array(ROWS * DEPTH).fill(LARGEST_UNSIGNED);
    const { sums } = await session.run({ bytes: new runtime.Tensor("uint8", bytes, [ROWS, DEPTH]) });
    return (sums.data as Int32Array).every((sum) => sum === DEPTH * LARGEST_UNSIGNED * LARGEST_SIGNED);
  } finally {
    await session.release();
  }
}
