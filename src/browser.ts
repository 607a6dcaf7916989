// The avatar engine for a browser tab: bakes a portrait to an `.imx`, opens one, and turns audio into frames. Imports
// nothing of Node; codecs of images and network files are the caller's.

export { EngineError, type EngineErrorCode, isEngineError } from "../shared/engine-error.ts";
export { FACE_PARAMETERS, type FacePose, toParameterVector } from "../shared/face-parameters.ts";
export { createEngine, type EngineOptions } from "./face/engine/create-engine.ts";
export type { Engine, EngineEvent, EngineTick, SegmentInput } from "./face/engine/engine.ts";
export type { EngineStats } from "./face/engine/engine-metrics.ts";
export type { CanvasSize } from "./face/figure/canvas-sizes.ts";
export type { Imx } from "./face/imx/imx.ts";
export { readImx } from "./face/imx/read-imx.ts";
export { writeImx } from "./face/imx/write-imx.ts";
export type { FaceBox, FaceCandidate } from "./face/portrait/face-candidate.ts";
export { FaceFinder, type FaceModels } from "./face/portrait/face-finder.ts";
export type { FaceFlaw, FaceFlawKind } from "./face/portrait/face-flaw.ts";
export { brightestOfFace } from "./face/portrait/face-light.ts";
export { faceTiltDeg } from "./face/portrait/head-turn.ts";
export {
  findPortraitFaces,
  type JudgedFace,
  judgePortraitFace,
} from "./face/portrait/portrait-face.ts";
export type { Avatar } from "./face/rendering/avatar.ts";
export { writeRgba } from "./face/rendering/i420-to-rgba.ts";
export { openAvatar } from "./face/rendering/open-avatar.ts";
export { bakeImx } from "./face/rig/bake-imx.ts";
export { type BakeNote, describeBakeNote } from "./face/rig/bake-notes.ts";
export type { BakeTools } from "./face/rig/bake-tools.ts";
export { encodeGreyPng } from "./signal/image/encode-grey-png.ts";
export type { I420Frame } from "./signal/image/i420-frame.ts";
export {
  createRgbImage,
  cropRgbImage,
  type GreyImage,
  type PixelBox,
  type RgbImage,
  toRgbImage,
} from "./signal/image/raster.ts";
export { type ImageHeader, readImageSize } from "./signal/image/read-image-header.ts";
export { resize } from "./signal/image/resize.ts";
export { straightenImage, turnImage } from "./signal/image/turn-image.ts";
export type { InferenceRuntime } from "./signal/inference/inference-runtime.ts";
export { createWebRuntime, type WebRuntime, type WebRuntimeOptions } from "./signal/inference/web-runtime.ts";
