// Makes the `.imx` of a portrait. Runs in the portrait process only.
import { decodeImage } from "../../src/image/decode-image.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { bakeImx } from "../../src/rig/bake-imx.ts";
import type { AspectRatio } from "./agent.ts";
import type { BakeResult, BakeTask } from "./portrait-messages.ts";

/** Picture sizes. Exact ratios, and multiples of 8 for the video encoder; a face is equally large in all. */
const CANVASES: Readonly<Record<AspectRatio, { widthPx: number; heightPx: number }>> = {
  "1:1": { widthPx: 512, heightPx: 512 },
  "16:9": { widthPx: 896, heightPx: 504 },
  "9:16": { widthPx: 504, heightPx: 896 },
};

/** Bakes a portrait whose face points are known. Throws as `decodeImage` and `bakeImx`. */
export async function performBake(
  task: BakeTask,
  runtime: InferenceRuntime,
  onProgress: (share: number) => void,
): Promise<BakeResult> {
  const image = await decodeImage(task.bytes);
  const { bytes } = await bakeImx(
    image,
    { points: task.points, style: task.style ?? undefined },
    { family: task.family, canvas: CANVASES[task.aspectRatio], runtime, onProgress },
  );
  return { imx: bytes };
}
