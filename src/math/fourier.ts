// Spectra of any length that is a product of small primes, such as 800.

/** Magnitudes |X_k|, k = 0..n/2, of n real samples (n even): unnormalised, as numpy.fft.rfft gives them. Mixed radix,
 *  so quick for lengths without large prime factors. Never throws. */
export class Fourier {
  readonly length: number;
  readonly #factors: number[];
  readonly #cosine: Float64Array;
  readonly #sine: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  readonly #scratchReal: Float64Array;
  readonly #scratchImaginary: Float64Array;

  constructor(length: number) {
    this.length = length;
    this.#factors = factorsOf(length);
    const angles = Float64Array.from({ length }, (_, k) => (-2 * Math.PI * k) / length);
    this.#cosine = angles.map(Math.cos);
    this.#sine = angles.map(Math.sin);
    this.#real = new Float64Array(length);
    this.#imaginary = new Float64Array(length);
    this.#scratchReal = new Float64Array(length);
    this.#scratchImaginary = new Float64Array(length);
  }

  /** `samples`: `length` of them; writes length/2 + 1 magnitudes. */
  magnitudes(samples: ArrayLike<number>, into: Float64Array): void {
    this.#transform(samples, 0, 1, this.length, 0, 0);
    for (let k = 0; k < into.length; k++) into[k] = Math.hypot(this.#real[k], this.#imaginary[k]);
  }

  /** Writes the transform of every `step`-th sample from `start` on (`count` of them) to `at`: those of its parts, then
   *  twiddled together. */
  #transform(samples: ArrayLike<number>, start: number, step: number, count: number, at: number, depth: number): void {
    const real = this.#real;
    const imaginary = this.#imaginary;
    if (count === 1) {
      real[at] = samples[start];
      imaginary[at] = 0;
      return;
    }
    const radix = this.#factors[depth];
    const part = count / radix;
    for (let r = 0; r < radix; r++)
      this.#transform(samples, start + r * step, step * radix, part, at + r * part, depth + 1);
    const turn = this.length / count;
    for (let k = 0; k < count; k++) {
      let sumReal = 0;
      let sumImaginary = 0;
      for (let r = 0; r < radix; r++) {
        const from = at + r * part + (k % part);
        const angle = (r * k * turn) % this.length;
        sumReal += real[from] * this.#cosine[angle] - imaginary[from] * this.#sine[angle];
        sumImaginary += real[from] * this.#sine[angle] + imaginary[from] * this.#cosine[angle];
      }
      this.#scratchReal[k] = sumReal;
      this.#scratchImaginary[k] = sumImaginary;
    }
    real.set(this.#scratchReal.subarray(0, count), at);
    imaginary.set(this.#scratchImaginary.subarray(0, count), at);
  }
}

function factorsOf(length: number): number[] {
  const factors: number[] = [];
  for (let rest = length, prime = 2; rest > 1; ) {
    if (rest % prime === 0) {
      factors.push(prime);
      rest /= prime;
    } else prime++;
  }
  return factors;
}
