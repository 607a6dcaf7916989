// What a page and the worker that renders its avatar say to each other.
import type { EngineErrorCode } from "../../../../shared/engine-error.ts";
import type { Expression } from "../../../../shared/expressions.ts";
import type { HeardOfUser } from "../../../../src/face/motion/listening-reactions.ts";
import type { PcmAudio } from "../../../../src/signal/audio/wav.ts";
import type { FrameFormat, MotionOptions, RenderedStep, RenderOptions } from "../../avatar.ts";
import type { FaceCounters, FaceStep, Picture } from "../face/face-steps.ts";

/** Answered by the worker. Renderings have numbers that the page gives. */
export type RenderCall =
  | { name: "open"; bundle: string | Uint8Array | Blob }
  | { name: "render"; rendering: number; options: RenderSettings }
  | { name: "next"; rendering: number }
  | { name: "live"; options: MotionOptions }
  | { name: "step"; isHeld: boolean; used: Picture | undefined };

export type RenderSettings = Omit<RenderOptions<FrameFormat>, "signal">;

export interface RenderResults {
  open: OpenedInfo;
  render: null;
  /** Null after the last. */
  next: RenderedStep<FrameFormat> | null;
  live: null;
  step: FaceStep & { counters: FaceCounters };
}

export interface OpenedInfo {
  widthPx: number;
  heightPx: number;
  gestures: readonly string[];
  poster: Uint8Array<ArrayBuffer>;
}

/** Not answered. */
export type RenderOrder =
  | { order: "piece"; rendering: number; piece: PcmAudio | null }
  | { order: "broken"; rendering: number; problem: Problem }
  | { order: "leave"; rendering: number }
  | { order: "segment"; segmentId: string; sampleRateHz: number }
  | { order: "push"; segmentId: string; samples: Int16Array }
  | { order: "end"; segmentId: string }
  | { order: "clear" }
  | { order: "gesture"; gesture: string }
  | { order: "express"; mood: Expression }
  | { order: "listening"; isListening: boolean }
  | { order: "heard"; what: HeardOfUser }
  | { order: "thinking"; isThinking: boolean };

export type ToRenderWorker = { id: number; call: RenderCall } | RenderOrder;

export type FromRenderWorker =
  | { id: number; result: RenderResults[keyof RenderResults] }
  | { id: number; problem: Problem }
  /** A rendering needs the next piece of its speech. */
  | { pull: number };

/** An error, which a worker cannot send as it is. */
export interface Problem {
  code?: EngineErrorCode;
  isRange: boolean;
  message: string;
}
