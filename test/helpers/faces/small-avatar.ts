// The smallest avatar that passes every check: a 64 × 64 canvas with a region that turns grey as the jaw opens.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX, FACE_PARAMETERS } from "../../../shared/face-parameters.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { encodeJpeg, encodePng } from "../../../src/signal/image/encode-image.ts";
import { createRgbImage } from "../../../src/signal/image/raster.ts";
import { GraphBuilder } from "../../../src/signal/onnx/graph-builder.ts";

/** A rig graph; `change` may add what should be refused. */
export function smallRig(
  change: (builder: GraphBuilder) => void = () => {},
  parameterCount: number = FACE_PARAMETER_COUNT,
): Uint8Array {
  const builder = new GraphBuilder("rig");
  const parameters = builder.input("params", "float32", [1, parameterCount]);
  builder.output("frame", "float32", [1, 1, 64, 64]);
  const jaw = builder.node("Gather", [parameters, builder.ints(FACE_PARAMETER_INDEX.jaw)], { axis: 1 });
  const level = builder.node("Reshape", [builder.node("Mul", [jaw, builder.scalar(128)]), builder.ints(1, 1, 1, 1)]);
  builder.node("Expand", [level, builder.ints(1, 1, 64, 64)], {}, "frame");
  change(builder);
  return builder.toModel();
}

/** The whole avatar, with one gesture. */
export async function smallAvatar(): Promise<Imx> {
  const image = createRgbImage(
    64,
    64,
    new Uint8Array(64 * 64 * 3).map((_, i) => (i * 7) % 256),
  );
  return {
    manifest: {
      family: "essence-2",
      canvas: { widthPx: 64, heightPx: 64 },
      region: { x: 0, y: 0, sizePx: 64 },
      parameters: [...FACE_PARAMETERS],
      restPose: { close: 1, jaw: 0.1 },
      hearingModel: "hearing-1",
      gestures: ["nod"],
      headMotion: 1,
      generator: { name: "test", version: "1" },
      createdAt: "2026-11-21T00:00:00.000Z",
    },
    rig: smallRig(),
    canvas: await encodePng(image),
    poster: await encodeJpeg(image),
    gestures: new Map([["nod", new Float32Array(2 * FACE_PARAMETER_COUNT).fill(0.25)]]),
    chest: null,
  };
}
