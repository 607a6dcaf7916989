// The avatar engine as a library: bake a portrait, open an avatar, turn audio into frames. Needs no server, no room,
// no account.
export {
  FACE_PARAMETERS,
  type FaceParameterName,
  type FacePose,
  toParameterVector,
} from "../shared/face-parameters.ts";
export { createEngine, type EngineOptions } from "./engine/create-engine.ts";
export type { Engine, EngineEvent, EngineTick, SegmentInput } from "./engine/engine.ts";
export type { EngineStats } from "./engine/engine-metrics.ts";
export { EngineError, type EngineErrorCode, isEngineError } from "./engine-error.ts";
export { FaceFinder } from "./face/face-finder.ts";
export { loadFaceModels } from "./face/face-models.ts";
export { choosePortraitFace, type PortraitFace } from "./face/portrait-face.ts";
export { decodeImage } from "./image/decode-image.ts";
export type { RgbImage } from "./image/raster.ts";
export type { Imx } from "./imx/imx.ts";
export { readImx } from "./imx/read-imx.ts";
export { writeImx } from "./imx/write-imx.ts";
export type { InferenceRuntime } from "./inference/inference-runtime.ts";
export { createNodeRuntime } from "./inference/node-runtime.ts";
export { loadLipSyncModel } from "./lip-sync/lip-sync-model.ts";
export type { Avatar } from "./rendering/avatar.ts";
export type { I420Frame } from "./rendering/i420-frame.ts";
export { openAvatar } from "./rendering/open-avatar.ts";
export { bakeImx } from "./rig/bake-imx.ts";
