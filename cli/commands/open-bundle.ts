// A bundle from whatever a command was given: an `.imx`, or a picture that is baked first.
import { resolveModel } from "../../shared/models.ts";
import { FaceFinder } from "../../src/face/face-finder.ts";
import { loadFaceModels } from "../../src/face/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait-face.ts";
import type { Background } from "../../src/figure/background.ts";
import type { CanvasSize } from "../../src/figure/canvas-sizes.ts";
import { decodeImage } from "../../src/image/decode-image.ts";
import type { Imx } from "../../src/imx/imx.ts";
import { readImx } from "../../src/imx/read-imx.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { bakeImx } from "../../src/rig/bake-imx.ts";
import { CliError } from "../cli-error.ts";
import { isImx } from "../read-input.ts";

export interface BundleOptions {
  /** Model family, or any name of the catalogue, that a picture is baked for. */
  family: string;
  /** Canvas and background of a picture that is baked; a bundle keeps its own. */
  canvas?: CanvasSize;
  background?: Background;
  runtime: InferenceRuntime;
  /** Called with 0..1 while a picture is baked. */
  onProgress?: (share: number) => void;
}

/** The bundle in the bytes of a file. Throws ServiceError if neither a sound bundle nor a suitable picture is in them. */
export async function openBundle(bytes: Uint8Array, options: BundleOptions): Promise<Imx> {
  return isImx(bytes) ? readImx(bytes) : bakePicture(bytes, options);
}

/** Bakes a picture. Throws CliError `usage` for an unknown family, ServiceError for an unsuitable picture. */
export async function bakePicture(bytes: Uint8Array, options: BundleOptions): Promise<Imx> {
  const model = resolveModel(options.family);
  if (!model) throw new CliError("usage", `There is no model family ${options.family}.`);
  const portrait = await decodeImage(bytes);
  const finder = await FaceFinder.load(options.runtime, await loadFaceModels());
  try {
    const { landmarks } = await choosePortraitFace(portrait, finder);
    return (await bakeImx(portrait, { points: landmarks.points }, { ...options, family: model.family })).imx;
  } finally {
    await finder.close();
  }
}
