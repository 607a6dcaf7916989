// What the page and the worker of a face tell each other.
import type { Expression } from "../../shared/expressions.ts";
import type { Manner } from "../../shared/manners.ts";
import type { FaceErrorCode } from "./face-error.ts";

export interface FaceManner {
  /** How lively it is by itself. Default natural. */
  manner?: Manner;
  /** Whether it moves only while it speaks. */
  isCalm: boolean;
}

/** To a worker that follows a voice. */
export type FaceOrder =
  /** First, once. `bundle` is an absolute URL. The canvas is the worker's from now on. `weights`: of lip sync; default:
   *  the worker loads them. */
  | ({ type: "open"; bundle: string; canvas: OffscreenCanvas; weights?: Uint8Array } & FaceManner)
  /** Whether anybody can see the face. While it cannot be seen, nothing is computed. */
  | { type: "show"; isShown: boolean }
  /** What the face shows from now on. */
  | { type: "express"; expression: Expression }
  /** A voice in pieces (`VoicePiece`) that come through `port`, at `rateHz`. Takes the place of the one before. */
  | { type: "listen"; port: MessagePort; rateHz: number }
  /** When the audio of second `audioS` of the audio clock is heard: ms since 1970. */
  | { type: "clock"; audioS: number; heardAtMs: number }
  /** There is no voice any more. */
  | { type: "silence" }
  | { type: "gesture"; name: string }
  /** Someone else speaks. */
  | { type: "listening"; isListening: boolean }
  /** The visitor's microphone in pieces (`VoicePiece`) that come through `port`, at `rateHz`: the face reacts to it.
   *  Takes the place of the one before. */
  | { type: "hear"; port: MessagePort; rateHz: number }
  /** There is no microphone any more. */
  | { type: "hear-nothing" }
  | { type: "thinking"; isThinking: boolean };

/** To a worker that follows motion, which someone else computes. */
export type MotionOrder =
  /** First, once. */
  | { type: "open"; canvas: OffscreenCanvas }
  /** The `.imx`. Once, when it is there. */
  | { type: "bundle"; bytes: Uint8Array }
  /** A packet of motion (`shared/motion-packet.ts`) that arrived at `arrivedAtMs` since 1970. */
  | { type: "motion"; packet: Uint8Array; arrivedAtMs: number }
  /** Audio is heard so long after the shortest way of a packet, ms. */
  | { type: "delay"; delayMs: number }
  | { type: "show"; isShown: boolean };

export type FaceAnswer =
  | { type: "opened"; widthPx: number; heightPx: number; gestures: string[] }
  /** The first frame is on the canvas; of motion, the first of each sender. */
  | { type: "shown" }
  | { type: "speaking"; isSpeaking: boolean }
  /** Of motion: for 10 s this frame rate was all that could be drawn. */
  | { type: "slow"; fps: number }
  /** The last answer: nothing moves from now on. */
  | { type: "failed"; code: FaceErrorCode; message: string };

/** 10 ms of a voice. */
export interface VoicePiece {
  samples: Float32Array;
  /** Number of its first sample on the audio clock. */
  atSample: number;
}
