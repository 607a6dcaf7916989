// The avatar engine for a browser tab: opens a baked `.imx` and turns audio into frames. Imports nothing of Node;
// baking is in index.ts.

export { EngineError, type EngineErrorCode, isEngineError } from "../shared/engine-error.ts";
export { FACE_PARAMETERS, type FacePose, toParameterVector } from "../shared/face-parameters.ts";
export { createEngine, type EngineOptions } from "./face/engine/create-engine.ts";
export type { Engine, EngineEvent, EngineTick, SegmentInput } from "./face/engine/engine.ts";
export type { EngineStats } from "./face/engine/engine-metrics.ts";
export type { Imx } from "./face/imx/imx.ts";
export { readImx } from "./face/imx/read-imx.ts";
export type { Avatar } from "./face/rendering/avatar.ts";
export { writeRgba } from "./face/rendering/i420-to-rgba.ts";
export { openAvatar } from "./face/rendering/open-avatar.ts";
export type { I420Frame } from "./signal/image/i420-frame.ts";
export type { InferenceRuntime } from "./signal/inference/inference-runtime.ts";
export { createWebRuntime, type WebRuntime, type WebRuntimeOptions } from "./signal/inference/web-runtime.ts";
