// Raises or lowers the high frequencies of a stream. Source: Bristow-Johnson, "Cookbook formulae for audio equalizer
// biquad filter coefficients", high shelf with slope 1.

/** Where half of the gain is reached. */
const CORNER_HZ = 2_500;

export class ShelfFilter {
  readonly #forward: readonly [number, number, number];
  readonly #back: readonly [number, number];
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  /** `gainDb`: of the high frequencies. */
  constructor(sampleRateHz: number, gainDb: number) {
    const a = 10 ** (gainDb / 40);
    const angle = (2 * Math.PI * CORNER_HZ) / sampleRateHz;
    const cos = Math.cos(angle);
    const side = Math.sqrt(2 * a) * Math.sin(angle);
    const norm = a + 1 - (a - 1) * cos + side;
    this.#forward = [
      (a * (a + 1 + (a - 1) * cos + side)) / norm,
      (-2 * a * (a - 1 + (a + 1) * cos)) / norm,
      (a * (a + 1 + (a - 1) * cos - side)) / norm,
    ];
    this.#back = [(2 * (a - 1 - (a + 1) * cos)) / norm, (a + 1 - (a - 1) * cos - side) / norm];
  }

  /** The filtered samples. Remembers the last ones for the next call. */
  push(samples: Float32Array): Float32Array {
    const [b0, b1, b2] = this.#forward;
    const [a1, a2] = this.#back;
    return samples.map((x) => {
      const y = b0 * x + b1 * this.#x1 + b2 * this.#x2 - a1 * this.#y1 - a2 * this.#y2;
      this.#x2 = this.#x1;
      this.#x1 = x;
      this.#y2 = this.#y1;
      this.#y1 = y;
      return y;
    });
  }
}
