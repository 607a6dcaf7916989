// Bakes the `.imx` of a portrait. Runs in the portrait process only.
import { TRANSPARENT } from "../../../src/figure/background.ts";
import { CANVAS_SIZES } from "../../../src/figure/canvas-sizes.ts";
import { withDynamicsOf } from "../../../src/gestures/imx-gestures.ts";
import { decodeImage } from "../../../src/image/decode-image.ts";
import { readImx } from "../../../src/imx/read-imx.ts";
import { writeImx } from "../../../src/imx/write-imx.ts";
import type { InferenceRuntime } from "../../../src/inference/inference-runtime.ts";
import { bakeImx } from "../../../src/rig/bake-imx.ts";
import { regionSideOn } from "../../../src/rig/family-settings.ts";
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
    {
      family: task.family,
      canvas: task.canvas ?? CANVAS_SIZES[task.aspectRatio],
      regionPx: task.canvas && regionSideOn(task.family, task.canvas),
      background: task.isTransparent ? TRANSPARENT : undefined,
      runtime,
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
