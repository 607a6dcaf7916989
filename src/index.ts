// The avatar engine as a library: bake a portrait, open an avatar, turn audio into frames. Needs no server, no room,
// no account.

export { EngineError, type EngineErrorCode, isEngineError } from "../shared/engine-error.ts";
export {
  FACE_PARAMETERS,
  type FaceParameterName,
  type FacePose,
  toParameterVector,
} from "../shared/face-parameters.ts";
export { createEngine, type EngineOptions } from "./face/engine/create-engine.ts";
export type { Engine, EngineEvent, EngineTick, SegmentInput } from "./face/engine/engine.ts";
export type { EngineStats } from "./face/engine/engine-metrics.ts";
export type { Imx } from "./face/imx/imx.ts";
export { readImx } from "./face/imx/read-imx.ts";
export { writeImx } from "./face/imx/write-imx.ts";
export { loadLipSyncModel } from "./face/lip-sync/lip-sync-model.ts";
export { FaceFinder } from "./face/portrait/face-finder.ts";
export { loadFaceModels } from "./face/portrait/face-models.ts";
export { choosePortraitFace, type PortraitFace } from "./face/portrait/portrait-face.ts";
export type { Avatar } from "./face/rendering/avatar.ts";
export { openAvatar } from "./face/rendering/open-avatar.ts";
export { bakeImx } from "./face/rig/bake-imx.ts";
export type { BakeTools } from "./face/rig/bake-tools.ts";
export { loadBakeTools } from "./face/rig/node-bake-tools.ts";
export { decodeImage } from "./signal/image/decode-image.ts";
export type { I420Frame } from "./signal/image/i420-frame.ts";
export type { RgbImage } from "./signal/image/raster.ts";
export type { InferenceRuntime } from "./signal/inference/inference-runtime.ts";
export { createNodeRuntime } from "./signal/inference/node-runtime.ts";
