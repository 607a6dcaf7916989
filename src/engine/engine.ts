// The avatar engine as its users see it: sound in, paced pairs of sound and picture out. No network, no room, no database.
import type { I420Frame } from "../drawing/i420-frame.ts";
import type { TimedViseme } from "../hearing/timed-viseme.ts";
import type { EngineStats } from "./engine-stats.ts";

/** What happened in a tick; at most one start and one finish per segment, in that order. */
export type EngineEvent =
  | { type: "segment-started"; segmentId: string }
  | {
      type: "segment-finished";
      segmentId: string;
      /** How much of the segment's own sound was played, in ms; its whole length unless interrupted. */
      positionMs: number;
      interrupted: boolean;
    };

/** The sound of one 40 ms step. */
export interface EngineSound {
  /** 40 ms of mono sound, int16, at the engine's `sampleRateHz`; zeros while nothing is spoken (after a
   *  voice that ran dry has faded away). Valid until the next `tick()`. */
  audio: Int16Array;
  /** True if `audio` belongs to a segment. */
  isSpeaking: boolean;
  /** How much of `audio` is a segment's, ms from its start: 40 but for the last hop of a segment, 0 for silence. */
  speechMs: number;
  events: EngineEvent[];
}

/** One 40 ms step: the sound of the step and the picture shown with it. */
export interface EngineTick extends EngineSound {
  /** Steps since the engine started; counts from 0 without gaps. */
  index: number;
  /** Valid until the next call of `tick()`; copy it to keep it. */
  videoFrame: I420Frame;
}

/** What the next tick would do: `idle`, nothing is queued; `waiting`, a segment is open but too little of its sound has arrived;
 *  `ready`, sound of a segment leaves or a segment finishes. */
export type EngineReadiness = "idle" | "waiting" | "ready";

/** One utterance on its way into the engine. Segments play in the order they were opened. */
export interface SegmentInput {
  readonly segmentId: string;
  /** Appends mono sound, int16, at the rate given when the segment was opened, any number of samples. Ignored after `end()`. At most ten
   *  minutes wait in an engine; more is dropped and counted. `visemes`: what the mouth does in these samples, from a voice that knows its
   *  text; times from their start, also beyond their end. The mouth then follows them, with the sound's own loudness; without them it goes by hearing alone. */
  push(samples: Int16Array, visemes?: readonly TimedViseme[]): void;
  /** No more sound: plays to its end, then finishes. Safe to repeat. */
  end(): void;
}

export interface Engine {
  /** Rate of `EngineTick.audio`. */
  readonly sampleRateHz: number;
  /** Opens a segment behind those already queued. Sound is resampled as needed. Throws RangeError for rates outside 8–192 kHz
   *  and for more than 256 waiting segments. */
  openSegment(segmentId: string, sampleRateHz: number): SegmentInput;
  /** Computes the next step. The caller keeps the clock: one call every 40 ms in a room, as fast as it likes in a render.
   *  `onSound` gets the step's sound before its picture is drawn (5 to 15 ms earlier). Rejects with what hearing or drawing threw: the
   *  tick's sound is then lost, its events come with the next tick unless `onSound` had them. Throws Error if the tick before is still
   *  running or the engine is closed. */
  tick(onSound?: (sound: EngineSound) => void): Promise<EngineTick>;
  /** What the next tick would do with what has arrived. Lets the caller of a room wait a moment for sound that is late. */
  readiness(): EngineReadiness;
  /** Empties every queue at once: each segment not yet finished reports `interrupted: true` with the next tick. The face eases to
   *  rest. Returns the ids that were cut off. */
  clear(): string[];
  /** Plays a gesture by name over whatever the face does; false if there is none of that name. */
  trigger(gesture: string): boolean;
  /** Somebody else in the room speaks, or no longer does: the face takes up a listener's posture, or gives it up, softly. Repeats change
   *  nothing; while the avatar itself speaks nothing of it is seen. */
  listening(isListening: boolean): void;
  /** What the engine counted since it started. */
  stats(): EngineStats;
  /** Releases the hearing network and the queues; the avatar stays its owner's. Idempotent. */
  close(): Promise<void>;
}
