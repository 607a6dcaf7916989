// Makes the `.imx` of a portrait. Runs in the portrait process only.
import type { FaceFinder } from "../../src/face/face-finder.ts";
import { choosePortraitFace } from "../../src/face/portrait-face.ts";
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
/** Share of the bake after which the face has been found. */
const FOUND_SHARE = 0.15;

/** Bakes a portrait, with its face points found if they are not given. Throws as `decodeImage`, `choosePortraitFace`, `bakeImx`. */
export async function performBake(
  task: BakeTask,
  runtime: InferenceRuntime,
  finder: () => Promise<FaceFinder>,
  onProgress: (share: number) => void,
): Promise<BakeResult> {
  const image = await decodeImage(task.bytes);
  const points = task.points ?? (await choosePortraitFace(image, await finder())).landmarks.points;
  onProgress(FOUND_SHARE);
  const { bytes } = await bakeImx(
    image,
    { points, style: task.style ?? undefined },
    {
      family: task.family,
      canvas: CANVASES[task.aspectRatio],
      runtime,
      onProgress: (share) => onProgress(FOUND_SHARE + (1 - FOUND_SHARE) * share),
    },
  );
  return { imx: bytes };
}
