// How long the avatar's audio takes to come back through the microphone, if it does: the lag at which the two have
// steady phases to each other. Loudness counts for little, so no gain has to be known.
import type { Spectrum } from "../../signal/math/real-transform.ts";
import type { ReferenceSpectra } from "./reference-spectra.ts";

/** 250 Hz to 3.4 kHz: where speech is, and what small loudspeakers play. */
const FIRST_BIN = 5;
const COUNT = 64;
/** Share of the past that is kept at each comparison, 20 ms apart: about 280 ms count. */
const KEPT = 0.88;
/** Bins count as fully as they are above this share of their mean amplitude. */
const SOFT_SHARE = 0.7;
const MEAN_KEPT = 0.99;
/** Amplitude of silence: 1 is full scale times the length of a frame. */
const SILENT = 1e-3;
/** Less evidence than this gives no score. */
const LEAST_WEIGHT = 8;

/** Compares every second block of the microphone with all frames of the reference. */
export class LagFinder {
  readonly lags: number;
  /** By lag: how much steadier the phases are than by chance, which is 1. 0 without evidence. */
  readonly scores: Float32Array;
  readonly #crossReal: Float32Array;
  readonly #crossImaginary: Float32Array;
  readonly #weights: Float32Array;
  readonly #reference: PhaseRows;
  readonly #microphone = new PhaseRows(1);
  #isOdd = false;

  /** `lags`: how many are compared, in blocks. */
  constructor(lags: number) {
    this.lags = lags;
    this.scores = new Float32Array(lags);
    this.#crossReal = new Float32Array(lags * COUNT);
    this.#crossImaginary = new Float32Array(lags * COUNT);
    this.#weights = new Float32Array(lags);
    this.#reference = new PhaseRows(lags);
  }

  /** Forgets everything. */
  reset(): void {
    this.scores.fill(0);
    this.#crossReal.fill(0);
    this.#crossImaginary.fill(0);
    this.#weights.fill(0);
    this.#reference.reset();
    this.#microphone.reset();
  }

  /** `microphone`: spectrum of its latest frame. Returns whether the scores are new. */
  push(microphone: Spectrum, spectra: ReferenceSpectra): boolean {
    this.#reference.push(spectra.real, spectra.imaginary, spectra.rowOf(0));
    this.#isOdd = !this.#isOdd;
    if (this.#isOdd) return false;
    this.#microphone.push(microphone.real, microphone.imaginary, 0);
    if (this.#microphone.strengthOf(0) === 0) return false;
    for (let lag = 0; lag < this.lags; lag++) this.#compare(lag);
    return true;
  }

  /** The lag with the best score. */
  best(): number {
    let best = 0;
    for (let lag = 1; lag < this.lags; lag++) if (this.scores[lag] > this.scores[best]) best = lag;
    return best;
  }

  #compare(lag: number): void {
    if (this.#reference.strengthOf(lag) === 0) return;
    const { real, imaginary } = this.#microphone;
    const { real: otherReal, imaginary: otherImaginary } = this.#reference;
    const row = this.#reference.rowOf(lag);
    const at = lag * COUNT;
    let weight = 0;
    let total = 0;
    for (let k = 0; k < COUNT; k++) {
      const a = real[k];
      const b = imaginary[k];
      const c = otherReal[row + k];
      const d = otherImaginary[row + k];
      const productReal = a * c + b * d;
      const productImaginary = b * c - a * d;
      weight += productReal * productReal + productImaginary * productImaginary;
      const crossReal = KEPT * this.#crossReal[at + k] + productReal;
      const crossImaginary = KEPT * this.#crossImaginary[at + k] + productImaginary;
      this.#crossReal[at + k] = crossReal;
      this.#crossImaginary[at + k] = crossImaginary;
      total += crossReal * crossReal + crossImaginary * crossImaginary;
    }
    // What `total` would be for phases by chance.
    this.#weights[lag] = KEPT * KEPT * this.#weights[lag] + weight;
    this.scores[lag] = this.#weights[lag] < LEAST_WEIGHT ? 0 : total / this.#weights[lag];
  }
}

/** Phases of spectra, weighted: 0 for silence, almost 1 for what is loud for its bin. */
class PhaseRows {
  readonly real: Float32Array;
  readonly imaginary: Float32Array;
  readonly #rows: number;
  readonly #strengths: Float32Array;
  readonly #means = new Float32Array(COUNT);
  #newest = 0;

  constructor(rows: number) {
    this.#rows = rows;
    this.real = new Float32Array(rows * COUNT);
    this.imaginary = new Float32Array(rows * COUNT);
    this.#strengths = new Float32Array(rows);
  }

  rowOf(lag: number): number {
    return ((this.#newest + lag) % this.#rows) * COUNT;
  }

  strengthOf(lag: number): number {
    return this.#strengths[(this.#newest + lag) % this.#rows];
  }

  reset(): void {
    this.#strengths.fill(0);
    this.#means.fill(0);
  }

  push(real: ArrayLike<number>, imaginary: ArrayLike<number>, from: number): void {
    this.#newest = (this.#newest + this.#rows - 1) % this.#rows;
    const row = this.rowOf(0);
    let strength = 0;
    for (let k = 0; k < COUNT; k++) {
      const a = real[from + FIRST_BIN + k];
      const b = imaginary[from + FIRST_BIN + k];
      const amplitude = Math.sqrt(a * a + b * b);
      if (amplitude < SILENT) {
        this.real[row + k] = 0;
        this.imaginary[row + k] = 0;
        continue;
      }
      this.#means[k] = this.#means[k] === 0 ? amplitude : MEAN_KEPT * this.#means[k] + (1 - MEAN_KEPT) * amplitude;
      const divisor = amplitude + SOFT_SHARE * this.#means[k];
      this.real[row + k] = a / divisor;
      this.imaginary[row + k] = b / divisor;
      strength += amplitude / divisor;
    }
    this.#strengths[this.#newest] = strength;
  }
}
