// Spectra of the latest second of the reference, one for each block of the microphone.
import { createSpectrum, RealTransform } from "../../signal/math/real-transform.ts";
import { BINS, BLOCK_SAMPLES, FRAME_SAMPLES } from "./blocks.ts";
import type { ReferenceLine } from "./reference-line.ts";

/** Reads spectra at a lag in blocks: 0 is the newest frame. */
export class ReferenceSpectra {
  readonly lags: number;
  /** Row `rowOf(lag)` × BINS of each. */
  readonly real: Float32Array;
  readonly imaginary: Float32Array;
  readonly power: Float32Array;
  readonly #transform = new RealTransform(FRAME_SAMPLES);
  readonly #frame = new Float64Array(FRAME_SAMPLES);
  readonly #spectrum = createSpectrum(FRAME_SAMPLES);
  #newest = 0;

  /** `lags`: frames that are kept. */
  constructor(lags: number) {
    this.lags = lags;
    this.real = new Float32Array(lags * BINS);
    this.imaginary = new Float32Array(lags * BINS);
    this.power = new Float32Array(lags * BINS);
  }

  /** Where the spectrum of a lag begins. */
  rowOf(lag: number): number {
    return ((this.#newest + lag) % this.lags) * BINS;
  }

  /** Adds the frame that ends with the block at `place`. */
  advance(line: ReferenceLine, place: number): void {
    this.#newest = (this.#newest + this.lags - 1) % this.lags;
    line.read(place - BLOCK_SAMPLES, this.#frame);
    const row = this.rowOf(0);
    this.#transform.forward(this.#frame, this.#spectrum);
    const { real, imaginary } = this.#spectrum;
    for (let k = 0; k < BINS; k++) {
      this.real[row + k] = real[k];
      this.imaginary[row + k] = imaginary[k];
      this.power[row + k] = real[k] * real[k] + imaginary[k] * imaginary[k];
    }
  }

  /** Reads everything anew, for a microphone after a jump of its time. */
  rebuild(line: ReferenceLine, place: number): void {
    for (let lag = this.lags - 1; lag >= 0; lag--) this.advance(line, place - lag * BLOCK_SAMPLES);
  }
}
