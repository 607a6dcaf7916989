// Finds utterances in the windows of a speech detector: where speech begins, pauses, goes on and is long enough to cut
// in. It decides nothing about turns; it says what the microphone held.
//
//   silent   nothing but the last 400 ms is kept           → speech (a window of speech)
//   speech   the utterance grows                           → pause (120 ms of silence), silent (`reset`)
//   pause    the utterance grows by its silence            → speech (it goes on), silent (`take`, or too short)
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import { LIP_SYNC_SAMPLES_PER_MS } from "../../../shared/units.ts";
import { joinSamples } from "../../signal/audio/join-samples.ts";

/** A window of the microphone, as the speech detector gives it. */
export interface SpeechWindow {
  /** How probable it is that someone speaks in it, 0 to 1. */
  probability: number;
  /** Mono at 16 kHz. */
  samples: Int16Array;
}

export type ListenerEvent =
  /** Speech has lasted `speechMs` since its last pause. */
  | { type: "speech"; speechMs: number }
  /** The person has paused, or goes on pausing, for `silenceMs`. */
  | { type: "pause"; silenceMs: number }
  /** What sounded like speech was too short to be any. */
  | { type: "noise" }
  /** The utterance has become so long that its beginning should be taken now, before it ends. */
  | { type: "long" };

/** Above this a silence ends, below the other speech ends: what lies between belongs to what was before it. */
const SPEECH_PROBABILITY = 0.5;
const SILENCE_PROBABILITY = 0.35;
/** Silence after which speech has paused, ms: longer than the closure of a plosive. */
const PAUSE_MS = 120;
/** Less speech than this is no word, ms. */
const LEAST_SPEECH_MS = 96;
/** What is kept of the time before the first window of speech, ms: soft beginnings of words. */
const LEAD_MS = 400;
/** The recogniser reads 30 s at once: between these lengths an utterance is cut where speech is least likely, ms. */
const LONG_MS = 24_000;
const LONGEST_MS = 28_000;
/** The end-of-turn model reads this much, ms. */
const TAIL_MS = 1_200;

const MOVES = defineMoves<"silent" | "speech" | "pause">({
  silent: ["speech"],
  speech: ["pause", "silent"],
  pause: ["speech", "silent"],
});

export class TurnListener {
  #windows: Int16Array[] = [];
  #samples = 0;
  #speechMs = 0;
  /** All speech of the utterance before its last pause, ms. */
  #voicedMs = 0;
  #silenceMs = 0;
  readonly #state = new StateMachine(MOVES, "silent");
  /** The last windows, whatever the state: for the end-of-turn model. */
  #tail: Int16Array[] = [];

  /** Whether an utterance has begun and was not taken. */
  get isOpen(): boolean {
    return !this.#state.is("silent");
  }

  /** Speech of the utterance before its last pause, ms. */
  get voicedMs(): number {
    return this.#voicedMs;
  }

  /** The last 1.2 s of the microphone, or as much as there is. */
  get tail(): Int16Array {
    return joinSamples(this.#tail);
  }

  /** The utterance so far, with its silence. */
  get utterance(): Int16Array {
    return joinSamples(this.#windows);
  }

  /** Takes the next window. At most one event comes of it. */
  push({ probability, samples }: SpeechWindow): ListenerEvent | undefined {
    const windowMs = samples.length / LIP_SYNC_SAMPLES_PER_MS;
    this.#keep(samples);
    const isSpeech = probability >= (this.#state.is("speech") ? SILENCE_PROBABILITY : SPEECH_PROBABILITY);
    if (isSpeech) {
      if (!this.#state.is("speech")) {
        this.#speechMs = 0;
        this.#state.enter("speech");
      }
      this.#silenceMs = 0;
      this.#speechMs += windowMs;
      const lengthMs = this.#samples / LIP_SYNC_SAMPLES_PER_MS;
      if (lengthMs > LONG_MS && (probability < SPEECH_PROBABILITY || lengthMs > LONGEST_MS)) return { type: "long" };
      return { type: "speech", speechMs: this.#speechMs };
    }
    if (this.#state.is("silent")) return undefined;
    this.#silenceMs += windowMs;
    if (this.#silenceMs < PAUSE_MS) return undefined;
    if (this.#state.is("speech")) {
      this.#state.enter("pause");
      this.#voicedMs += this.#speechMs;
      if (this.#voicedMs < LEAST_SPEECH_MS) {
        this.take();
        return { type: "noise" };
      }
    }
    return { type: "pause", silenceMs: this.#silenceMs };
  }

  /** Ends the utterance, or its beginning if speech goes on, and returns it. */
  take(): Int16Array {
    const { utterance } = this;
    this.cut(utterance.length);
    if (!this.#state.is("speech")) this.#rest();
    return utterance;
  }

  /** Forgets the first samples of an utterance that goes on. Its rest is speech, however short. */
  cut(samples: number): void {
    while (this.#samples > 0 && samples >= this.#windows[0].length) {
      const { length } = this.#windows.shift()!;
      samples -= length;
      this.#samples -= length;
    }
    this.#voicedMs = LEAST_SPEECH_MS;
  }

  /** The microphone is gone: what was being said is dropped. */
  reset(): void {
    this.#tail = [];
    this.#silenceMs = 0;
    this.take();
    this.#rest();
  }

  #rest(): void {
    if (this.isOpen) this.#state.enter("silent");
    this.#speechMs = 0;
    this.#voicedMs = 0;
  }

  #keep(samples: Int16Array): void {
    this.#windows.push(samples);
    this.#samples += samples.length;
    if (!this.isOpen) {
      while (this.#samples - this.#windows[0].length >= LEAD_MS * LIP_SYNC_SAMPLES_PER_MS)
        this.#samples -= this.#windows.shift()!.length;
    }
    this.#tail.push(samples);
    while ((this.#tail.length - 1) * samples.length >= TAIL_MS * LIP_SYNC_SAMPLES_PER_MS) this.#tail.shift();
  }
}
