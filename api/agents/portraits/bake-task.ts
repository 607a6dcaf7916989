// Bakes the `.imx` of a portrait. Runs in the portrait process only.
import { TRANSPARENT } from "../../../src/face/figure/background.ts";
import { CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { withDynamicsOf } from "../../../src/face/gestures/imx-gestures.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { regionSideOn } from "../../../src/face/rig/family-settings.ts";
import { loadBakeTools } from "../../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import type { BakeResult, BakeTask } from "./portrait-messages.ts";

/** Bakes a portrait with known face points. Throws as `decodeImage`, `bakeImx`, `readImx` and `writeImx`. */
export async function performBake(
  task: BakeTask,
  runtime: InferenceRuntime,
  onProgress: (share: number) => void,
): Promise<BakeResult> {
  const image = await decodeImage(task.bytes);
  const { imx, baked } = await bakeImx(
    image,
    { points: task.points, style: task.style ?? undefined },
    await loadBakeTools(runtime),
    {
      family: task.family,
      canvas: task.canvas ?? CANVAS_SIZES[task.aspectRatio],
      regionPx: task.canvas && regionSideOn(task.family, task.canvas),
      background: task.isTransparent ? TRANSPARENT : undefined,
      onProgress,
    },
  );
  const earlier = task.gesturesOf ? await readImx(task.gesturesOf) : null;
  return {
    imx: await writeImx(earlier ? withDynamicsOf(imx, earlier) : imx),
    generatorVersion: imx.manifest.generator.version,
    notes: baked.notes,
    scale: baked.scale,
  };
}
