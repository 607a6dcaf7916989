// Power spectra of short frames, thousands a second: a transform of real samples at half its length, without recursion.

/** The order suits the loops: the last ones run over long rows. */
const RADICES = [5, 4, 2, 3, 7] as const;

export class PowerSpectrum {
  readonly #half: number;
  readonly #stages: Stage[] = [];
  readonly #split: Complex;
  #from: Complex;
  #to: Complex;

  /** `length`: even, its half a product of 2, 3, 4, 5 and 7. Throws RangeError for others. */
  constructor(length: number) {
    this.#half = length / 2;
    let rest = this.#half;
    for (let stride = 1; rest > 1; ) {
      const radix = RADICES.find((candidate) => rest % candidate === 0);
      if (!radix) throw new RangeError(`no transform of ${length} samples`);
      const count = rest / radix;
      this.#stages.push({ radix, count, stride, turn: circle(rest), small: circle(radix) });
      stride *= radix;
      rest = count;
    }
    if (length % 2) throw new RangeError(`no transform of ${length} samples`);
    this.#split = circle(length);
    this.#from = { real: new Float64Array(this.#half), imaginary: new Float64Array(this.#half) };
    this.#to = { real: new Float64Array(this.#half), imaginary: new Float64Array(this.#half) };
  }

  /** Writes |X_k|², k = 0 … length / 2, unnormalised as numpy.fft.rfft. `samples`: `length` of them. */
  transform(samples: Float64Array, into: Float64Array): void {
    const half = this.#half;
    for (let i = 0; i < half; i++) {
      this.#from.real[i] = samples[2 * i];
      this.#from.imaginary[i] = samples[2 * i + 1];
    }
    for (const stage of this.#stages) {
      this.#pass(stage);
      [this.#from, this.#to] = [this.#to, this.#from];
    }
    const { real, imaginary } = this.#from;
    for (let k = 0; k <= half; k++) {
      const a = k % half;
      const b = (half - k) % half;
      // Spectra of the even and the odd samples, taken apart by symmetry.
      const evenReal = (real[a] + real[b]) / 2;
      const evenImaginary = (imaginary[a] - imaginary[b]) / 2;
      const oddReal = (imaginary[a] + imaginary[b]) / 2;
      const oddImaginary = (real[b] - real[a]) / 2;
      const cosine = this.#split.real[k];
      const sine = this.#split.imaginary[k];
      const sumReal = evenReal + oddReal * cosine - oddImaginary * sine;
      const sumImaginary = evenImaginary + oddReal * sine + oddImaginary * cosine;
      into[k] = sumReal * sumReal + sumImaginary * sumImaginary;
    }
  }

  /** One stage of Stockham's transform, which leaves everything in order. */
  #pass({ radix, count, stride, turn, small }: Stage): void {
    const { real, imaginary } = this.#from;
    const { real: toReal, imaginary: toImaginary } = this.#to;
    const jump = stride * count;
    for (let p = 0; p < count; p++) {
      for (let k = 0; k < radix; k++) {
        const turnReal = turn.real[p * k];
        const turnImaginary = turn.imaginary[p * k];
        const to = stride * (radix * p + k);
        for (let q = 0; q < stride; q++) {
          let sumReal = 0;
          let sumImaginary = 0;
          let at = q + stride * p;
          for (let j = 0, angle = 0; j < radix; j++) {
            const cosine = small.real[angle];
            const sine = small.imaginary[angle];
            sumReal += real[at] * cosine - imaginary[at] * sine;
            sumImaginary += real[at] * sine + imaginary[at] * cosine;
            at += jump;
            angle += k;
            if (angle >= radix) angle -= radix;
          }
          toReal[to + q] = sumReal * turnReal - sumImaginary * turnImaginary;
          toImaginary[to + q] = sumReal * turnImaginary + sumImaginary * turnReal;
        }
      }
    }
  }
}

interface Stage {
  radix: number;
  count: number;
  stride: number;
  /** Turns of the results. */
  turn: Complex;
  /** Turns within one transform of `radix` values. */
  small: Complex;
}

interface Complex {
  real: Float64Array;
  imaginary: Float64Array;
}

/** e^(−2πik / count) for k = 0 … count. */
function circle(count: number): Complex {
  const angles = Float64Array.from({ length: count + 1 }, (_, k) => (-2 * Math.PI * k) / count);
  return { real: angles.map(Math.cos), imaginary: angles.map(Math.sin) };
}
