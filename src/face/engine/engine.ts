// Interface of the avatar engine: audio in, 40 ms of audio with its video frame out. No network, no capacity, no
// database.

import type { Expression } from "../../../shared/expressions.ts";
import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { TimedViseme } from "../../speech/visemes/timed-viseme.ts";
import type { SpeechFeatures } from "../lip-sync/lip-sync-stream.ts";
import type { ExpressionSource } from "../motion/expression-choice.ts";
import type { HeardOfUser } from "../motion/listening-reactions.ts";
import type { EngineStats } from "./engine-metrics.ts";

/** Events of a step; at most one start and one finish per segment, in that order. */
export type EngineEvent =
  | { type: "segment-started"; segmentId: string }
  | {
      type: "segment-finished";
      segmentId: string;
      /** Played part of the segment's audio, ms; its whole length unless interrupted. */
      positionMs: number;
      interrupted: boolean;
    };

/** What the video frame of a step is rendered from. May be kept: later steps do not change it. */
export interface FrameInput {
  /** Speech of the video frame's 40 ms; null for silence. */
  readonly speech: SpeechFeatures | null;
  /** What its segment lets the face show; absent if that sets nothing. */
  readonly expression?: Expression;
  /** True if a started segment waited for its sender in this step. */
  readonly isStarved: boolean;
}

/** What the face does in one video frame. Later poses do not change it. */
export interface FramePose {
  /** Float32 [33], in the order of `FACE_PARAMETERS`. */
  readonly parameters: Float32Array;
  /** The chest, −1 breathed out to 1 breathed in. */
  readonly breath: number;
  /** What it was made from. */
  readonly input: FrameInput;
}

/** The audio of one 40 ms step. */
export interface EngineAudio {
  /** 40 ms, mono, int16, at the engine's `sampleRateHz`; zeros during silence (after an underrun, the voice fades out
   *  first). Valid until the next `nextAudio()` or `tick()`. */
  audio: Int16Array;
  /** True if `audio` belongs to a segment. */
  isSpeaking: boolean;
  /** Length of the segment audio at the start of `audio`, ms: 40, less in the last step of a segment, 0 for silence. */
  speechMs: number;
  /** Segment of the audio; null for silence. */
  segmentId: string | null;
  /** Position in the segment at which `audio` starts, ms; 0 for silence. */
  positionMs: number;
  events: EngineEvent[];
  /** For `render` or `skip`: the video frame of this step. With `audioLeadTicks` it belongs to audio of that many steps
   *  earlier. */
  frameInput: FrameInput;
}

/** One 40 ms step: its audio and the video frame shown with it. */
export interface EngineTick extends EngineAudio {
  /** Steps since the engine started; counts from 0 without gaps. */
  index: number;
  /** Valid until the next `render()` or `tick()`; copy it to keep it. */
  videoFrame: I420Frame;
}

/** What the next step does: `idle`: nothing is queued; `waiting`: a segment is open but too little of its audio has
 *  arrived; `ready`: it outputs audio of a segment, or a segment finishes. */
export type EngineReadiness = "idle" | "waiting" | "ready";

/** Input of one utterance. Segments play in the order in which they were opened. */
export interface SegmentInput {
  readonly segmentId: string;
  /** Appends mono audio, int16, at the rate given when the segment was opened, any number of samples; they are copied.
   *  Ignored after `end()`. An engine queues at most ten minutes of audio; more is dropped and counted. `visemes`:
   *  mouth shapes of these samples, from a speech synthesizer; times count from the first sample and may lie beyond the
   *  last one. The mouth follows them, with the loudness of the audio; without them it follows the audio alone. */
  push(samples: Int16Array, visemes?: readonly TimedViseme[]): void;
  /** Marks the end of the audio: the segment plays to its end, then finishes. Idempotent. */
  end(): void;
}

/** The same, with what the face shows while it plays. */
export interface ExpressiveSegment extends SegmentInput {
  /** From `inMs` after the audio pushed so far on, the face shows this expression, whatever else was set, until the
   *  next one of the segment or its end. Default 0. Ignored after `end()`. */
  express(expression: Expression, inMs?: number): void;
}

export interface Engine {
  /** Rate of `EngineTick.audio`. */
  readonly sampleRateHz: number;
  /** Opens a segment behind those already queued. Audio is resampled as needed. Throws RangeError for rates outside
   *  8–192 kHz and for more than 256 waiting segments. */
  openSegment(segmentId: string, sampleRateHz: number): ExpressiveSegment;
  /** Runs lip sync on the audio that the next step needs, so that `readiness()` is exact: shortening may leave
   *  less than a step. Rejects and throws like `nextAudio`. */
  prepare(): Promise<void>;
  /** First half of a step: returns its audio. The caller sets the pace: one step every 40 ms of audio in a room, as
   *  fast as possible for a video file. Steps may be ahead of their video frames. `queuedMs`: audio of earlier steps
   *  that has not been played yet, ms (default 0); with `liveClock` it counts as delay. Rejects with the error of the
   *  network. Throws Error if the previous call has not ended, and if the engine is closed. */
  nextAudio(queuedMs?: number): Promise<EngineAudio>;
  /** Second half of a step: its video frame, valid until the next `render()`. In the order of the steps, each at most
   *  once; steps that are left out take no time of the face's motion. Rejects with the error of the renderer. Throws
   *  Error if the previous call has not ended, and if the engine is closed. */
  render(input: FrameInput): Promise<I420Frame>;
  /** Moves the face on by a step without rendering its video frame: the same as `render`, at hardly any cost. */
  skip(input: FrameInput): void;
  /** Moves the face on like `skip` and returns its pose: for viewers that render it themselves, and for `renderPose`.
   *  May be called while a frame is rendered. */
  pose(input: FrameInput): FramePose;
  /** Renders the video frame of a pose; moves nothing. `pose`, then this, is the same as `render`. */
  renderPose(pose: FramePose): Promise<I420Frame>;
  /** Takes back a pose and those after it, because they are not shown: the face moves on from before it. Gestures,
   *  listening and expressions that were commanded since hold. Poses are taken back from the last to the first, each
   *  once. */
  takeBack(pose: FramePose): void;
  /** Calls `listener` after each command that changes the poses to come: gestures, listening, what was heard,
   *  thinking, expressions. Returns what ends this. */
  onCommand(listener: () => void): () => void;
  /** Renders the face at rest in its mood, eyes open, for video that stands still; moves nothing. Like `render`. */
  renderRest(): Promise<I420Frame>;
  /** One whole step, for callers that need audio and video frame together: `nextAudio()`, then `render()`. If rendering
   *  fails, the step's audio is lost and its events come with the next step. */
  tick(): Promise<EngineTick>;
  /** What the next step does with the audio that has arrived: with it, the caller can wait a moment for late audio. */
  readiness(): EngineReadiness;
  /** Empties every queue at once: each unfinished segment reports `interrupted: true` with the next step. The face
   *  eases to rest. Returns the ids of the interrupted segments. */
  clear(): string[];
  /** The gesture that plays and does not fade out; null if there is none. */
  readonly gesture: string | null;
  /** Plays a gesture by name, added to all other motion, and fades it out after `atMostMs` (default: plays all of it).
   *  A gesture that plays fades out. Returns false if the avatar has no gesture of that name. */
  trigger(gesture: string, atMostMs?: number): boolean;
  /** Fades out the gesture that plays. */
  stopGesture(): void;
  /** What the face shows while nothing else sets its expression. */
  readonly mood: Expression;
  /** Sets the expression of a source for `atMostMs` (default: until it is set again); null takes it back. The strongest
   *  source that has one is shown. The face eases into it within 640 ms and back within 1.2 s. One value a step counts:
   *  the last. Lips that speech closes stay closed. */
  express(source: ExpressionSource, expression: Expression | null, atMostMs?: number): void;
  /** A user in the room starts or stops speaking: the face eases into the listening posture, or out of it. Idempotent.
   *  The posture has no effect while the avatar speaks. */
  listening(isListening: boolean): void;
  /** What a `PhraseDetector` hears of a user: the face may nod after a phrase, or raise its brows after a question,
   *  with its next frame. `lost` when their audio ends. A listening face that has heard no phrase nods from time to
   *  time. */
  heard(what: HeardOfUser): void;
  /** The avatar begins to think about an answer, or stops: the eyes leave the viewer meanwhile. Idempotent. */
  thinking(isThinking: boolean): void;
  /** Counters since the engine started. */
  stats(): EngineStats;
  /** Releases the lip-sync network and the queues after a running step has ended; does not close the avatar.
   *  Idempotent. */
  close(): Promise<void>;
}
