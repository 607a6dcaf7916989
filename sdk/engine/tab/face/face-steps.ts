// What a face is played from: an engine in this thread, or one in a worker.
import type { Expression } from "../../../../shared/expressions.ts";
import type { Engine, SegmentInput } from "../../../../src/face/engine/engine.ts";
import type { HeardOfUser } from "../../../../src/face/motion/listening-reactions.ts";
import type { I420Frame } from "../../../../src/signal/image/i420-frame.ts";
import type { RgbaFrame } from "../../avatar.ts";

export type Picture = I420Frame | RgbaFrame;

/** 40 ms of a face. */
export interface FaceStep {
  /** The caller's, until it is given back. */
  picture: Picture;
  audio: Int16Array;
  /** Segment of the audio; null for silence. */
  segmentId: string | null;
  /** Segments that end with this step. */
  finished: readonly { segmentId: string; interrupted: boolean }[];
}

/** Since the start. */
export interface FaceCounters {
  ticks: number;
  renderMs: number;
  lipSyncMs: number;
}

export interface FaceSteps {
  readonly sampleRateHz: number;
  /** Opens a segment behind those that wait. Throws RangeError for a rate out of range. */
  openSegment(segmentId: string, sampleRateHz: number): SegmentInput;
  /** The next step. `isHeld`: what should be said waits, and the face moves in silence. `used`: a picture of an earlier
   *  step, to be overwritten. One call at a time. */
  step(isHeld: boolean, used: Picture | undefined): Promise<FaceStep>;
  /** Drops all segments: they finish, interrupted, with the next step. */
  clear(): void;
  trigger(gesture: string): boolean;
  /** What the face shows from now on. */
  express(mood: Expression): void;
  listening(isListening: boolean): void;
  heard(what: HeardOfUser): void;
  thinking(isThinking: boolean): void;
  counters(): FaceCounters;
  /** Releases engine and avatar. Idempotent. */
  close(): Promise<void>;
}

const SILENCE = Object.freeze({ speech: null, isStarved: false });

/** Steps of an engine in this thread. */
export class EngineSteps implements FaceSteps {
  readonly #engine: Engine;
  readonly #closeAvatar: () => Promise<void>;

  /** Owns both. */
  constructor(engine: Engine, avatar: { close(): Promise<void> }) {
    this.#engine = engine;
    this.#closeAvatar = () => avatar.close();
  }

  get sampleRateHz(): number {
    return this.#engine.sampleRateHz;
  }

  openSegment(segmentId: string, sampleRateHz: number): SegmentInput {
    return this.#engine.openSegment(segmentId, sampleRateHz);
  }

  async step(isHeld: boolean, used: Picture | undefined): Promise<FaceStep> {
    if (isHeld) {
      const frame = await this.#engine.render(SILENCE);
      return { picture: copyOf(frame, used), audio: new Int16Array(0), segmentId: null, finished: [] };
    }
    const { videoFrame, audio, segmentId, events } = await this.#engine.tick();
    const finished = events.filter((event) => event.type === "segment-finished");
    return { picture: copyOf(videoFrame, used), audio: audio.slice(), segmentId, finished };
  }

  clear(): void {
    this.#engine.clear();
  }

  trigger(gesture: string): boolean {
    return this.#engine.trigger(gesture);
  }

  express(mood: Expression): void {
    this.#engine.express("mood", mood);
  }

  listening(isListening: boolean): void {
    this.#engine.listening(isListening);
  }

  heard(what: HeardOfUser): void {
    this.#engine.heard(what);
  }

  thinking(isThinking: boolean): void {
    this.#engine.thinking(isThinking);
  }

  counters(): FaceCounters {
    return this.#engine.stats();
  }

  async close(): Promise<void> {
    await this.#engine.close();
    await this.#closeAvatar();
  }
}

function copyOf(frame: I420Frame, used: Picture | undefined): I420Frame {
  if (used?.data.length !== frame.data.length) return { ...frame, data: frame.data.slice() };
  used.data.set(frame.data);
  return used as I420Frame;
}
