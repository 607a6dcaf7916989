// Power spectra of short frames of audio, thousands a second.
import { createSpectrum, RealTransform } from "./real-transform.ts";

export class PowerSpectrum {
  readonly #transform: RealTransform;
  readonly #spectrum;

  /** `length`: see `RealTransform`. Throws RangeError for others. */
  constructor(length: number) {
    this.#transform = new RealTransform(length);
    this.#spectrum = createSpectrum(length);
  }

  /** Writes |X_k|², k = 0 … length / 2, unnormalised as numpy.fft.rfft. `samples`: `length` of them. */
  transform(samples: Float64Array, into: Float64Array): void {
    this.#transform.forward(samples, this.#spectrum);
    const { real, imaginary } = this.#spectrum;
    for (let k = 0; k < into.length; k++) into[k] = real[k] * real[k] + imaginary[k] * imaginary[k];
  }
}
