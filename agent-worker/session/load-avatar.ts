// Loads the avatar of a job: fetches its file, or bakes it from a portrait.
import { ServiceError } from "../../shared/errors.ts";
import { type ModelFamily, resolveModel } from "../../shared/models.ts";
import type { JobDescription } from "../../shared/runtime-api.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import { FaceFinder } from "../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import { openFamilyAvatar } from "../../src/face/quality/open-family-avatar.ts";
import type { Avatar } from "../../src/face/rendering/avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import type { RuntimeApiClient } from "./runtime-api-client.ts";

/** Portraits are scaled down to this before face detection, px. The canvas is 512 px. */
const PORTRAIT_SIDE_PX = 2048;

export interface AvatarSource {
  api: Pick<RuntimeApiClient, "download">;
  /** The `.imx`; null if it must be fetched. */
  imx: Uint8Array | null;
  runtime: InferenceRuntime;
  /** The operator's mouth network, if there is one. */
  qualityNetworkPath?: string;
}

/** Returns an opened avatar; the caller closes it. A bake takes two to three seconds. Throws EngineError for a file or
 *  portrait that cannot be used, ServiceError for a job that names neither, and the errors of `download`. */
export async function loadAvatar(job: JobDescription, source: AvatarSource): Promise<Avatar> {
  const { api, runtime, imx } = source;
  const family = resolveModel(job.model)?.family ?? "expression-1";
  if (job.imx_url !== null) {
    return openFamilyAvatar(await readImx(imx ?? (await api.download(job.imx_url))), family, source);
  }
  if (job.portrait_url !== null) {
    return openFamilyAvatar(await bakeAvatar(await api.download(job.portrait_url), family, runtime), family, source);
  }
  throw new ServiceError("MODEL_ARTIFACT_NOT_READY", "The session has neither a model file nor a portrait");
}

async function bakeAvatar(bytes: Uint8Array, family: ModelFamily, runtime: InferenceRuntime): Promise<Imx> {
  const portrait = await decodeImage(bytes, { maxSidePx: PORTRAIT_SIDE_PX });
  const finder = await FaceFinder.load(runtime, await loadFaceModels());
  try {
    const { landmarks } = await choosePortraitFace(portrait, finder);
    return (await bakeImx(portrait, { points: landmarks.points }, await loadBakeTools(runtime), { family })).imx;
  } finally {
    await finder.close();
  }
}
