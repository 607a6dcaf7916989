// A bundle from whatever a command was given: an `.imx`, or a picture that is baked first.
import { isServiceError } from "../../shared/errors.ts";
import { resolveModel } from "../../shared/models.ts";
import { FaceFinder } from "../../src/face/face-finder.ts";
import { loadFaceModels } from "../../src/face/face-models.ts";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../src/face/portrait-face.ts";
import type { Background } from "../../src/figure/background.ts";
import type { CanvasSize } from "../../src/figure/canvas-sizes.ts";
import { decodeImage } from "../../src/image/decode-image.ts";
import type { RgbImage } from "../../src/image/raster.ts";
import type { Imx } from "../../src/imx/imx.ts";
import { readImx } from "../../src/imx/read-imx.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { bakeImx } from "../../src/rig/bake-imx.ts";
import { CliError } from "../terminal/cli-error.ts";
import { isImx } from "../terminal/read-input.ts";
import type { PlacedFace } from "./placed-face.ts";

export interface BundleOptions {
  /** Model family, or any name of the catalogue, that a picture is baked for. */
  family: string;
  /** Canvas and background of a picture that is baked; a bundle keeps its own. */
  canvas?: CanvasSize;
  background?: Background;
  /** Points of the picture's face. Default: it is found. */
  placedFace?: PlacedFace;
  runtime: InferenceRuntime;
  /** Called with 0..1 while a picture is baked. */
  onProgress?: (share: number) => void;
  /** Told what a person should look at. */
  onNote?: (line: string) => void;
}

/** The bundle in the bytes of a file. Throws ServiceError if neither a sound bundle nor a suitable picture is in them.
 *  */
export async function openBundle(bytes: Uint8Array, options: BundleOptions): Promise<Imx> {
  return isImx(bytes) ? readImx(bytes) : bakePicture(bytes, options);
}

/** Bakes a picture. Throws CliError `usage` for an unknown family, ServiceError for an unsuitable picture. */
export async function bakePicture(bytes: Uint8Array, options: BundleOptions): Promise<Imx> {
  const model = resolveModel(options.family);
  if (!model) throw new CliError("usage", `There is no model family ${options.family}.`);
  const portrait = await decodeImage(bytes);
  const points = options.placedFace?.(portrait) ?? (await findFacePoints(portrait, options));
  return (await bakeImx(portrait, { points }, { ...options, family: model.family })).imx;
}

async function findFacePoints(portrait: RgbImage, { runtime, onNote }: BundleOptions): Promise<Float32Array> {
  const finder = await FaceFinder.load(runtime, await loadFaceModels());
  try {
    const { landmarks, confidence } = await choosePortraitFace(portrait, finder);
    if (confidence < MIN_AUTOMATIC_CONFIDENCE) {
      onNote?.("The finder is unsure about this face: look at its `avatar sheet`, and place its marks with --points.");
    }
    return landmarks.points;
  } catch (error) {
    if (!isServiceError(error) || error.code !== "MODEL_SUBJECT_MISMATCH") throw error;
    const hint = "If there is one, such as an animal's or a robot's, place its marks with --points.";
    throw new CliError("generic", error.message, { code: error.code, hint, cause: error });
  } finally {
    await finder.close();
  }
}
