// Bakes the image that a command was given.
import { toServiceError } from "../../../api/kernel/to-service-error.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import { resolveModel } from "../../../shared/models.ts";
import type { Background } from "../../../src/face/figure/background.ts";
import type { CanvasSize } from "../../../src/face/figure/canvas-sizes.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../../src/face/portrait/face-models.ts";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../../src/face/portrait/portrait-face.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { describeBakeNote } from "../../../src/face/rig/bake-notes.ts";
import { loadBakeTools } from "../../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import type { RgbImage } from "../../../src/signal/image/raster.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { PlacedFace } from "./placed-face.ts";

export interface BakeImageOptions {
  /** Model family or slug for which an image is baked. */
  family: string;
  /** Canvas and background for baking an image; a bundle keeps its own. */
  canvas?: CanvasSize;
  background?: Background;
  /** Face points of the image. Default: detected. */
  placedFace?: PlacedFace;
  runtime: InferenceRuntime;
  /** Called with 0..1 while an image is baked. */
  onProgress?: (share: number) => void;
  /** Receives notes that the user should read. */
  onNote?: (line: string) => void;
}

/** Bakes an image. Throws CliError `usage` for an unknown family, EngineError for an unsuitable image. */
export async function bakeImage(bytes: Uint8Array, options: BakeImageOptions): Promise<Imx> {
  const model = resolveModel(options.family);
  if (!model) throw new CliError("usage", `Unknown model family: ${options.family}.`);
  const portrait = await decodeImage(bytes);
  const points = options.placedFace?.(portrait) ?? (await findFacePoints(portrait, options));
  const tools = await loadBakeTools(options.runtime);
  const { imx, baked } = await bakeImx(portrait, { points }, tools, { ...options, family: model.family });
  for (const note of baked.notes) options.onNote?.(describeBakeNote(note, "this canvas"));
  return imx;
}

async function findFacePoints(portrait: RgbImage, { runtime, onNote }: BakeImageOptions): Promise<Float32Array> {
  const finder = await FaceFinder.load(runtime, await loadFaceModels());
  try {
    const { landmarks, confidence } = await choosePortraitFace(portrait, finder);
    if (confidence < MIN_AUTOMATIC_CONFIDENCE) {
      onNote?.(
        "Face detection is unsure about this face. Check the result with `avatar sheet`, and place marks with --points if needed.",
      );
    }
    return landmarks.points;
  } catch (error) {
    if (!isEngineError(error) || error.code !== "no-face") throw error;
    const hint =
      "If it shows a face that is not detected, such as an animal's or a robot's, place marks with --points.";
    throw new CliError("generic", error.message, { code: toServiceError(error).code, hint, cause: error });
  } finally {
    await finder.close();
  }
}
