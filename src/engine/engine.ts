// The avatar engine as its users see it: audio in, 40 ms of audio with its video frame out. No network, no room, no
// database.
import type { I420Frame } from "../drawing/i420-frame.ts";
import type { TimedViseme } from "../hearing/timed-viseme.ts";
import type { EngineStats } from "./engine-stats.ts";

/** What happened in a step; at most one start and one finish per segment, in that order. */
export type EngineEvent =
  | { type: "segment-started"; segmentId: string }
  | {
      type: "segment-finished";
      segmentId: string;
      /** How much of the segment's own audio was played, in ms; its whole length unless interrupted. */
      positionMs: number;
      interrupted: boolean;
    };

/** The audio of one 40 ms step. */
export interface EngineAudio {
  /** 40 ms, mono, int16, at the engine's `sampleRateHz`; zeros while nothing is spoken (after a voice that ran
   *  dry has faded away). Valid until the next `hear()` or `tick()`. */
  audio: Int16Array;
  /** True if `audio` belongs to a segment. */
  isSpeaking: boolean;
  /** How much of `audio` is a segment's, ms from its start: 40, less in the last step of a segment, 0 for silence. */
  speechMs: number;
  events: EngineEvent[];
}

/** One 40 ms step: its audio and the video frame shown with it. */
export interface EngineTick extends EngineAudio {
  /** Steps since the engine started; counts from 0 without gaps. */
  index: number;
  /** Valid until the next `render()` or `tick()`; copy it to keep it. */
  videoFrame: I420Frame;
}

/** What the next step would do: `idle`, nothing is queued; `waiting`, a segment is open but too little of its audio
 *  has arrived; `ready`, audio of a segment leaves or a segment finishes. */
export type EngineReadiness = "idle" | "waiting" | "ready";

/** One utterance on its way into the engine. Segments play in the order they were opened. */
export interface SegmentInput {
  readonly segmentId: string;
  /** Appends mono audio, int16, at the rate given when the segment was opened, any number of samples; they are copied.
   *  Ignored after `end()`. At most ten minutes wait in an engine; more is dropped and counted. `visemes`: mouth
   *  shapes of these samples, from a voice that knows its text; times count from the first sample and may lie beyond
   *  the last one. The mouth follows them, with the loudness of the audio; without them it follows the audio alone. */
  push(samples: Int16Array, visemes?: readonly TimedViseme[]): void;
  /** No more audio comes: the segment plays to its end, then finishes. Safe to repeat. */
  end(): void;
}

export interface Engine {
  /** Rate of `EngineTick.audio`. */
  readonly sampleRateHz: number;
  /** Opens a segment behind those already queued. Audio is resampled as needed. Throws RangeError for rates outside
   *  8–192 kHz and for more than 256 waiting segments. */
  openSegment(segmentId: string, sampleRateHz: number): SegmentInput;
  /** First half of a step: the audio that leaves now, 5 to 15 ms before its video frame is rendered. The caller keeps
   *  the clock: one step every 40 ms in a room, as fast as it likes in a film. Rejects with what the network threw.
   *  Throws Error unless the previous step has been rendered, and if the engine is closed. */
  hear(): Promise<EngineAudio>;
  /** Second half of the step: its video frame, valid until the next `render()`. Rejects with what the renderer threw;
   *  the step is over then, too. Throws Error unless `hear()` came before. */
  render(): Promise<I420Frame>;
  /** One whole step, for callers that need audio and video frame together: `hear()`, then `render()`. If rendering
   *  fails, the step's audio is lost and its events come with the next step. */
  tick(): Promise<EngineTick>;
  /** What the next step would do with the audio that has arrived. Lets the caller of a room wait a moment for late
   *  audio. */
  readiness(): EngineReadiness;
  /** Empties every queue at once: each segment not yet finished reports `interrupted: true` with the next step. The
   *  face eases to rest. Returns the ids that were cut off. */
  clear(): string[];
  /** Plays a gesture by name over everything else the face does. Returns false if the avatar has no gesture of that
   *  name. */
  trigger(gesture: string): boolean;
  /** A user in the room speaks, or has stopped: the face eases into a listener's posture, or out of it. Repeats change
   *  nothing. While the avatar itself speaks, the posture has no effect. */
  listening(isListening: boolean): void;
  /** What the engine counted since it started. */
  stats(): EngineStats;
  /** Releases the hearing network and the queues once a running step is over; does not close the avatar. Idempotent. */
  close(): Promise<void>;
}
