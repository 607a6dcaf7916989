// One utterance of the avatar with audio from elsewhere: a server that speaks by itself. The mouth follows the
// audio.
//
//   open     audio comes, and goes to the engine at most ten seconds ahead    → ended (`end`), stopped, over
//   ended    no more audio comes; the rest goes to the engine                 → stopped, over
//   stopped  the engine is cleared; its report of the segment's end follows   → over
//   over     all of it was heard, or it was stopped                           (final)
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type { SegmentEnd } from "../../room/playout/heard-events.ts";
import type { Expression } from "../../shared/expressions.ts";
import type { Engine, ExpressiveSegment } from "../../src/face/engine/engine.ts";
import { SampleQueue } from "../../src/face/engine/sample-queue.ts";
import type { Captions } from "./captions.ts";

/** How far the engine may be ahead of what is heard, ms. Servers send minutes at once. */
const AHEAD_LIMIT_MS = 10_000;
/** What the engine is given at a time, ms. */
const BLOCK_MS = 200;
/** Longer answers are cut, ms: 29 MB at 24 kHz. */
const LONGEST_MS = 10 * 60_000;

export interface AudioUtteranceOptions {
  /** Id of its segment. */
  id: string;
  sampleRateHz: number;
  engine: Engine;
  captions: Captions;
  /** Audio or the end of the segment was passed to the engine. */
  onAudio(): void;
  /** Empties the engine and the room's audio queue; the segment is then reported as finished. */
  clear(): void;
}

/** How much of an utterance was heard. */
export interface HeardAudio {
  heardMs: number;
  /** True if it was stopped before its end. */
  interrupted: boolean;
}

/** Something that the avatar says, in audio that comes while it speaks. */
export interface PlayedUtterance {
  /** Mono, int16; copied. Ignored after `end()`. */
  push(samples: Int16Array): void;
  /** Shows a text when the audio from `atMs` on is heard. */
  caption(text: string, atMs: number): void;
  /** The face shows this from the audio on that the engine has not got yet, to the end of the utterance. */
  express(expression: Expression): void;
  /** No more audio comes. Idempotent. */
  end(): void;
  /** Silence at once, for good. Idempotent. */
  stop(): void;
  /** All audio so far, ms. */
  readonly madeMs: number;
  /** How much of it was heard so far, ms. */
  readonly heardMs: number;
  /** Resolves when its first audio is heard with true, or with false if it ends unheard. */
  readonly started: Promise<boolean>;
  /** Resolves when it is over. Never rejects. */
  readonly ended: Promise<HeardAudio>;
}

type AudioUtteranceState = "open" | "ended" | "stopped" | "over";

const MOVES = defineMoves<AudioUtteranceState>({
  open: ["ended", "stopped", "over"],
  ended: ["stopped", "over"],
  stopped: ["over"],
  over: [],
});

export class AudioUtterance implements PlayedUtterance {
  readonly #options: AudioUtteranceOptions;
  readonly #state = new StateMachine(MOVES, "open");
  readonly started: Promise<boolean>;
  readonly ended: Promise<HeardAudio>;
  #tellStarted: (isHeard: boolean) => void = () => undefined;
  #tellEnd: (end: HeardAudio) => void = () => undefined;
  #segment: ExpressiveSegment | undefined;
  /** What was set last. */
  #expression: Expression | undefined;
  /** Audio that the engine has not got yet. */
  readonly #waiting = new SampleQueue<Int16Array>((length) => new Int16Array(length));
  #madeMs = 0;
  #fedMs = 0;
  #queuedMs = 0;

  constructor(options: AudioUtteranceOptions) {
    this.#options = options;
    this.started = new Promise((resolve) => {
      this.#tellStarted = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
  }

  get madeMs(): number {
    return this.#madeMs;
  }

  get heardMs(): number {
    return this.#queuedMs;
  }

  push(samples: Int16Array): void {
    if (!this.#state.is("open") || samples.length === 0 || this.#madeMs > LONGEST_MS) return;
    this.#waiting.push(samples);
    this.#madeMs += this.#lengthMs(samples.length);
    this.#feed();
  }

  caption(text: string, atMs: number): void {
    const { id, captions } = this.#options;
    if (!this.#state.is("over")) captions.add(id, [{ startMs: atMs, text }], text, this.#expression);
  }

  express(expression: Expression): void {
    this.#expression = expression;
    this.#segment?.express(expression);
  }

  end(): void {
    if (!this.#state.is("open")) return;
    this.#state.enter("ended");
    if (this.#madeMs === 0) this.#finish({ heardMs: 0, interrupted: false });
    else this.#feed();
  }

  stop(): void {
    if (!this.#state.is("open", "ended")) return;
    this.#state.enter("stopped");
    this.#waiting.clear();
    if (this.#segment) this.#options.clear();
    else this.#finish({ heardMs: 0, interrupted: true });
  }

  /** Stops because the caller clears the engine. */
  drop(): void {
    this.#waiting.clear();
    this.#finish({ heardMs: this.#queuedMs, interrupted: true });
  }

  /** Whether a segment is its own. */
  owns(segmentId: string): boolean {
    return segmentId === this.#options.id;
  }

  /** Its first audio is heard. */
  segmentStarted(): void {
    this.#tellStarted(true);
  }

  /** Its audio up to `untilMs` has left for the room. */
  segmentQueued(_segmentId: string, untilMs: number): void {
    this.#queuedMs = Math.max(this.#queuedMs, untilMs);
    this.#feed();
  }

  /** Its segment is over. */
  segmentFinished(_segmentId: string, { positionMs, interrupted }: SegmentEnd): void {
    this.#finish({ heardMs: positionMs, interrupted });
  }

  #feed(): void {
    if (!this.#state.is("open", "ended")) return;
    const { sampleRateHz, onAudio } = this.#options;
    while (this.#waiting.length > 0 && this.#fedMs - this.#queuedMs < AHEAD_LIMIT_MS) {
      const samples = new Int16Array(Math.min(this.#waiting.length, Math.ceil((BLOCK_MS / 1000) * sampleRateHz)));
      this.#waiting.takeInto(samples);
      this.#segment ??= this.#open();
      this.#segment.push(samples);
      this.#fedMs += this.#lengthMs(samples.length);
      onAudio();
    }
    if (!this.#state.is("ended") || this.#waiting.length > 0) return;
    this.#segment?.end();
    onAudio();
  }

  #open(): ExpressiveSegment {
    const { id, engine, sampleRateHz } = this.#options;
    const segment = engine.openSegment(id, sampleRateHz);
    if (this.#expression) segment.express(this.#expression);
    return segment;
  }

  #lengthMs(samples: number): number {
    return (samples / this.#options.sampleRateHz) * 1000;
  }

  #finish(end: HeardAudio): void {
    if (this.#state.is("over")) return;
    this.#state.enter("over");
    this.#queuedMs = end.heardMs;
    this.#tellStarted(end.heardMs > 0);
    this.#tellEnd(end);
  }
}
