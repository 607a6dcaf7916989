// The reference for rendering: a graph that samples one frame and does nothing else.
import { GraphBuilder } from "../../src/signal/onnx/graph-builder.ts";

/** A model of one GridSample: input `grid` float32 [1, size, size, 2], output `picture` float32 [1, 3, size, size],
 *  sampled from a constant frame of that size in the way that our rigs do (bilinear, zeros outside). */
export function gridSampleGraph(sizePx: number): Uint8Array {
  const builder = new GraphBuilder("grid-sample");
  const dims = [1, 3, sizePx, sizePx];
  const texture = Float32Array.from({ length: 3 * sizePx * sizePx }, (_, index) => (index * 7) % 256);
  const grid = builder.input("grid", "float32", [1, sizePx, sizePx, 2]);
  builder.output("picture", "float32", dims);
  builder.node(
    "GridSample",
    [builder.constant(texture, dims), grid],
    { mode: "bilinear", padding_mode: "zeros", align_corners: 0 },
    "picture",
  );
  return builder.toModel();
}
