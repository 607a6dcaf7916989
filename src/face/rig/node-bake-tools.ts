// The tools of bakes in Node: sharp, and the networks that come with the service. Node only.
import { encodeJpeg, encodePng } from "../../signal/image/encode-image.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import { loadFaceModels } from "../portrait/face-models.ts";
import type { BakeTools } from "./bake-tools.ts";

/** Throws as `loadFaceModels`. */
export async function loadBakeTools(runtime: InferenceRuntime): Promise<BakeTools> {
  const { segmenter } = await loadFaceModels();
  return { runtime, segmenter, encodePng, encodeJpeg };
}
