// The avatar engine for a browser tab: opens a baked `.imx` and turns audio into frames. Imports nothing of Node;
// baking is in index.ts.
export { FACE_PARAMETERS, type FacePose, toParameterVector } from "../shared/face-parameters.ts";
export { createEngine, type EngineOptions } from "./engine/create-engine.ts";
export type { Engine, EngineEvent, EngineTick, SegmentInput } from "./engine/engine.ts";
export type { EngineStats } from "./engine/engine-metrics.ts";
export { EngineError, type EngineErrorCode, isEngineError } from "./engine-error.ts";
export type { Imx } from "./imx/imx.ts";
export { readImx } from "./imx/read-imx.ts";
export type { InferenceRuntime } from "./inference/inference-runtime.ts";
export { createWebRuntime, type WebRuntime, type WebRuntimeOptions } from "./inference/web-runtime.ts";
export type { Avatar } from "./rendering/avatar.ts";
export type { I420Frame } from "./rendering/i420-frame.ts";
export { writeRgba } from "./rendering/i420-to-rgba.ts";
export { openAvatar } from "./rendering/open-avatar.ts";
