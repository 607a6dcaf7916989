// Measures what a listener received: frame rate, when speech was heard, and lip sync.
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { HeardAudio, SeenFrame } from "./avatar-listener.ts";
import { type CoarseLuma, type LipSync, LOUDNESS_STEP_MS, measureLipSync, toCoarseLuma } from "./lip-sync.ts";

/** Root of the mean square above which a step counts as speech; decoded silence stays below 20. */
const SPEECH_LEVEL = 150;
const STEP_SAMPLES = (PLAYOUT_SAMPLE_RATE_HZ * LOUDNESS_STEP_MS) / 1000;
/** Audio that is late by more than the first for longer than the second counts as an interruption. A listener that was
 *  stalled itself receives the backlog at once and is on time again. */
const GAP_MS = 100;
const GAP_STAYS_MS = 500;

export class SpeechMeter {
  readonly #frames: { atMs: number; luma: CoarseLuma }[] = [];
  readonly #loudness: number[] = [];
  #audioAtMs: number | null = null;
  #firstAudioAtMs: number | null = null;
  #lastSpeechStep = 0;
  #audioGaps = 0;
  /** Audio received since audio was last on time, ms. */
  #outOfPlaceMs = 0;
  /** Samples that do not fill a step yet. */
  #rest = new Int16Array(0);

  addFrame({ frame, atMs }: SeenFrame): void {
    this.#frames.push({ atMs, luma: toCoarseLuma(frame) });
  }

  addAudio({ samples, atMs }: HeardAudio): void {
    this.#audioAtMs ??= atMs;
    const missingMs = atMs - this.#audioAtMs - this.#loudness.length * LOUDNESS_STEP_MS;
    this.#outOfPlaceMs = missingMs > GAP_MS ? this.#outOfPlaceMs + (samples.length * 1000) / PLAYOUT_SAMPLE_RATE_HZ : 0;
    if (this.#outOfPlaceMs > GAP_STAYS_MS) {
      this.#audioGaps += 1;
      this.#outOfPlaceMs = 0;
      for (let step = 0; step < missingMs / LOUDNESS_STEP_MS; step++) this.#loudness.push(0);
    }
    const all = new Int16Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    let from = 0;
    for (; from + STEP_SAMPLES <= all.length; from += STEP_SAMPLES) {
      this.#addStep(rootMeanSquare(all.subarray(from, from + STEP_SAMPLES)), atMs);
    }
    this.#rest = all.slice(from);
  }

  get hasSpoken(): boolean {
    return this.#firstAudioAtMs !== null;
  }

  /** When speech was first heard, in ms of `performance.now()`. */
  get firstAudioAtMs(): number | null {
    return this.#firstAudioAtMs;
  }

  /** Duration of the current silence, ms. */
  get silenceMs(): number {
    return (this.#loudness.length - this.#lastSpeechStep) * LOUDNESS_STEP_MS;
  }

  /** Interruptions of the audio stream, which never pauses by itself. */
  get audioGaps(): number {
    return this.#audioGaps;
  }

  get frameCount(): number {
    return this.#frames.length;
  }

  /** Frame rate between the first and the last frame, fps. */
  receivedFps(): number {
    const first = this.#frames[0];
    const last = this.#frames.at(-1);
    return first && last && last !== first ? ((this.#frames.length - 1) * 1000) / (last.atMs - first.atMs) : 0;
  }

  /** Times between a frame and the next, ms. */
  frameGapsMs(): number[] {
    return this.#frames.slice(1).map(({ atMs }, index) => atMs - this.#frames[index].atMs);
  }

  longestFrameGapMs(): number {
    return Math.max(0, ...this.frameGapsMs());
  }

  /** Throws RangeError with less than a second of frames. */
  measureLipSync(): LipSync {
    return measureLipSync({ frames: this.#frames, loudness: this.#loudness, audioAtMs: this.#audioAtMs ?? 0 });
  }

  #addStep(loudness: number, atMs: number): void {
    this.#loudness.push(loudness);
    if (loudness < SPEECH_LEVEL) return;
    this.#firstAudioAtMs ??= atMs;
    this.#lastSpeechStep = this.#loudness.length;
  }
}

function rootMeanSquare(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
