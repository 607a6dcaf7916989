// The pitch period of a stream of speech over time.
import { Resampler } from "../../../signal/audio/resampler.ts";
import { findPeriod, PITCH_RATE_HZ, PITCH_SPAN } from "../measuring/pitch-period.ts";

const HOP = PITCH_RATE_HZ / 100;
/** A period is measured over a stretch and counts for its middle. */
const MIDDLE = PITCH_SPAN / 2;
/** Creaky voices repeat themselves less than clear ones. */
const VOICED_BELOW = 0.35;
/** Quieter stretches (mean square, full scale 1) are pauses. */
const LEAST_POWER = 1e-6;

export class PeriodTrack {
  readonly #resampler: Resampler;
  readonly #scale: number;
  #audio = new Float32Array(PITCH_RATE_HZ);
  #count = 0;
  /** Period of each step in samples of the stream; 0 where it is not voiced. */
  readonly #periods: number[] = [];

  constructor(sampleRateHz: number) {
    this.#resampler = new Resampler(sampleRateHz, PITCH_RATE_HZ);
    this.#scale = sampleRateHz / PITCH_RATE_HZ;
  }

  push(samples: Float32Array): void {
    this.#append(this.#resampler.push(samples));
    this.#measure();
  }

  /** No more samples come: what follows counts as silence. */
  end(): void {
    this.#append(this.#resampler.flush());
    this.#append(new Float32Array(PITCH_SPAN));
    this.#measure();
  }

  /** Up to this sample of the stream the period is known. */
  get knownUntil(): number {
    return Math.max(0, ((this.#periods.length - 2) * HOP + MIDDLE) * this.#scale);
  }

  /** Period around a sample, in samples; 0 where it is not voiced. The median of three measurements, so that a single
   *  wrong one does not count. */
  at(sample: number): number {
    const index = Math.max(0, Math.min(this.#periods.length - 1, Math.round((sample / this.#scale - MIDDLE) / HOP)));
    const around = [index - 1, index, index + 1].map((i) => this.#periods[i] ?? 0);
    return around.sort((left, right) => left - right)[1];
  }

  #append(audio: Float32Array): void {
    if (this.#count + audio.length > this.#audio.length) {
      const grown = new Float32Array(2 * (this.#count + audio.length));
      grown.set(this.#audio.subarray(0, this.#count));
      this.#audio = grown;
    }
    this.#audio.set(audio, this.#count);
    this.#count += audio.length;
  }

  #measure(): void {
    for (let start = this.#periods.length * HOP; start + PITCH_SPAN <= this.#count; start += HOP) {
      const isPause = this.#powerAt(start) < LEAST_POWER;
      this.#periods.push(isPause ? 0 : (findPeriod(this.#audio, start, VOICED_BELOW) ?? 0) * this.#scale);
    }
  }

  #powerAt(start: number): number {
    let sum = 0;
    for (let i = start; i < start + PITCH_SPAN; i++) sum += this.#audio[i] ** 2;
    return sum / PITCH_SPAN;
  }
}
