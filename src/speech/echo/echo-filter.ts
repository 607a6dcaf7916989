// The echo of the avatar's audio as an adaptive filter predicts it: partitioned blocks in the frequency domain, each
// weight with a Kalman filter of its own. It converges in half a second, and hears a person who talks at the same time
// as noise that slows it down. Source: F. Kuech, E. Mabande, G. Enzner, "State-space architecture of the partitioned-
// block-based acoustic echo controller", ICASSP 2014.
import { createSpectrum, RealTransform } from "../../signal/math/real-transform.ts";
import { BINS, BLOCK_SAMPLES, FRAME_SAMPLES } from "./blocks.ts";
import type { ReferenceSpectra } from "./reference-spectra.ts";

/** 280 ms. */
const PARTITIONS = 28;
/** What a weight is expected to keep from one block to the next: echo paths change slowly. */
const KEPT = 0.9995;
/** What weights may change by without having been heard, as a share of the first uncertainty. */
const DRIFT = 0.05;
/** Share of the past in what counts as noise. */
const NOISE_KEPT = 0.9;
/** Uncertainty of a weight before the first block; its share by partition falls as rooms fade. */
const FIRST_UNCERTAINTY = 0.03;
const FADE_BY_PARTITION = 0.85;
const TINY = 1e-12;

/** Predicts the echo in one block after the other. */
export class EchoFilter {
  readonly #transform = new RealTransform(FRAME_SAMPLES);
  readonly #real = new Float32Array(PARTITIONS * BINS);
  readonly #imaginary = new Float32Array(PARTITIONS * BINS);
  readonly #uncertainty = new Float32Array(PARTITIONS * BINS);
  readonly #spectrum = createSpectrum(FRAME_SAMPLES);
  readonly #frame = new Float64Array(FRAME_SAMPLES);
  readonly #expected = new Float64Array(BINS);
  readonly #noise = new Float64Array(BINS);
  #constrained = 0;
  /** Power of the rest by bin, of the last block. */
  readonly restPower = new Float64Array(BINS);

  constructor() {
    this.reset();
  }

  /** Forgets the room. */
  reset(): void {
    this.#real.fill(0);
    this.#imaginary.fill(0);
    for (let p = 0; p < PARTITIONS; p++) {
      this.#uncertainty.fill(FIRST_UNCERTAINTY * FADE_BY_PARTITION ** p, p * BINS, (p + 1) * BINS);
    }
  }

  /** Writes what is left of a microphone block without the predicted echo, and learns from it. `lag`: of the first
   *  partition, in blocks. */
  process(block: Float64Array, spectra: ReferenceSpectra, lag: number, rest: Float64Array): void {
    this.#predict(spectra, lag);
    for (let i = 0; i < BLOCK_SAMPLES; i++) rest[i] = block[i] - this.#frame[BLOCK_SAMPLES + i];
    this.#frame.fill(0, 0, BLOCK_SAMPLES);
    for (let i = 0; i < BLOCK_SAMPLES; i++) this.#frame[BLOCK_SAMPLES + i] = rest[i];
    this.#transform.forward(this.#frame, this.#spectrum);
    this.#learn(spectra, lag);
    this.#constrain();
  }

  /** The prediction is the second half of the frame; the first one is circular. */
  #predict(spectra: ReferenceSpectra, lag: number): void {
    const { real, imaginary } = this.#spectrum;
    const { real: referenceReal, imaginary: referenceImaginary } = spectra;
    const weightReal = this.#real;
    const weightImaginary = this.#imaginary;
    real.fill(0);
    imaginary.fill(0);
    for (let p = 0; p < PARTITIONS; p++) {
      const row = spectra.rowOf(lag + p);
      const at = p * BINS;
      for (let k = 0; k < BINS; k++) {
        const a = weightReal[at + k];
        const b = weightImaginary[at + k];
        const c = referenceReal[row + k];
        const d = referenceImaginary[row + k];
        real[k] += a * c - b * d;
        imaginary[k] += a * d + b * c;
      }
    }
    this.#transform.inverse(this.#spectrum, this.#frame);
  }

  #learn(spectra: ReferenceSpectra, lag: number): void {
    const { real, imaginary } = this.#spectrum;
    const { real: referenceReal, imaginary: referenceImaginary, power } = spectra;
    const weightReal = this.#real;
    const weightImaginary = this.#imaginary;
    const uncertainty = this.#uncertainty;
    const expected = this.#expected;
    const { restPower } = this;
    for (let k = 0; k < BINS; k++) {
      restPower[k] = real[k] * real[k] + imaginary[k] * imaginary[k];
      this.#noise[k] = Math.max(restPower[k], NOISE_KEPT * this.#noise[k] + (1 - NOISE_KEPT) * restPower[k]);
      expected[k] = TINY + this.#noise[k];
    }
    for (let p = 0; p < PARTITIONS; p++) {
      const row = spectra.rowOf(lag + p);
      const at = p * BINS;
      for (let k = 0; k < BINS; k++) expected[k] += 0.5 * uncertainty[at + k] * power[row + k];
    }
    for (let k = 0; k < BINS; k++) expected[k] = 1 / expected[k];
    for (let p = 0; p < PARTITIONS; p++) {
      const row = spectra.rowOf(lag + p);
      const first = p * BINS;
      const drift = (1 - KEPT) * DRIFT * FADE_BY_PARTITION ** p;
      for (let k = 0; k < BINS; k++) {
        const at = first + k;
        const step = uncertainty[at] * expected[k];
        const c = step * referenceReal[row + k];
        const d = step * referenceImaginary[row + k];
        const a = weightReal[at];
        const b = weightImaginary[at];
        const left = 1 - 0.5 * step * power[row + k];
        uncertainty[at] = KEPT * left * uncertainty[at] + (1 - KEPT) * (a * a + b * b) + drift;
        weightReal[at] = a + c * real[k] + d * imaginary[k];
        weightImaginary[at] = b + c * imaginary[k] - d * real[k];
      }
    }
  }

  /** Keeps one partition after the other a filter of one block's length: products of spectra are circular. */
  #constrain(): void {
    const p = this.#constrained;
    this.#constrained = (p + 1) % PARTITIONS;
    const { real, imaginary } = this.#spectrum;
    for (let k = 0; k < BINS; k++) {
      real[k] = this.#real[p * BINS + k];
      imaginary[k] = this.#imaginary[p * BINS + k];
    }
    this.#transform.inverse(this.#spectrum, this.#frame);
    this.#frame.fill(0, BLOCK_SAMPLES);
    this.#transform.forward(this.#frame, this.#spectrum);
    for (let k = 0; k < BINS; k++) {
      this.#real[p * BINS + k] = real[k];
      this.#imaginary[p * BINS + k] = imaginary[k];
    }
  }
}
