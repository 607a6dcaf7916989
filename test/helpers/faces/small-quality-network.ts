// A tiny network with the signature of the Wav2Lip family. It returns its input face, a quarter darker, and colours the
// mouth redder with louder audio.
import { GraphBuilder } from "../../../src/signal/onnx/graph-builder.ts";

/** The bytes of the file. `facePx`: 96 or 256. */
export function smallQualityNetwork(facePx: number): Uint8Array {
  const builder = new GraphBuilder("mouth");
  builder.input("audio", "float32", ["batch", 1, 80, 16]);
  builder.input("face", "float32", ["batch", 6, facePx, facePx]);
  builder.output("picture", "float32", ["batch", 3, facePx, facePx]);
  const loudness = builder.node("GlobalAveragePool", ["audio"]);
  const voiced = builder.node("Sigmoid", [loudness]);
  // Picks the whole face (channels 3 to 5) and darkens it.
  const weights = new Float32Array(18);
  for (let channel = 0; channel < 3; channel++) weights[channel * 6 + 3 + channel] = 0.75;
  const face = builder.node("Conv", ["face", builder.constant(weights, [3, 6, 1, 1])], { kernel_shape: [1, 1] });
  const red = builder.constant([0, 0, 1], [1, 3, 1, 1]);
  const mouth = builder.node("Mul", [voiced, red]);
  builder.node("Clip", [builder.node("Add", [face, mouth]), builder.scalar(0), builder.scalar(1)], {}, "picture");
  return builder.toModel();
}
