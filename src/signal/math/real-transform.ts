// The discrete Fourier transform of real samples and its inverse, for blocks of audio: thousands a second, without
// allocation.

/** Radices of the passes, in this order. */
const RADICES = [4, 2, 5, 3] as const;

/** A spectrum: real and imaginary parts of X_k for k = 0 … length / 2. */
export interface Spectrum {
  real: Float64Array;
  imaginary: Float64Array;
}

/** Returns a spectrum of zeros for transforms of `length` samples. */
export function createSpectrum(length: number): Spectrum {
  return { real: new Float64Array(length / 2 + 1), imaginary: new Float64Array(length / 2 + 1) };
}

/** Transforms real samples at half their length: even samples are real parts, odd ones imaginary. */
export class RealTransform {
  readonly length: number;
  readonly #half: number;
  readonly #passes: Pass[] = [];
  /** e^(−2πik / length). */
  readonly #turn: Spectrum;
  #from: Spectrum;
  #to: Spectrum;

  /** `length`: even, its half a product of 2, 3 and 5. Throws RangeError for others. */
  constructor(length: number) {
    this.length = length;
    this.#half = length / 2;
    let rest = this.#half;
    for (let stride = 1; rest > 1; ) {
      const radix = RADICES.find((candidate) => rest % candidate === 0);
      if (!radix) throw new RangeError(`no transform of ${length} samples`);
      this.#passes.push({ radix, stride, count: rest / radix, turn: circle(rest) });
      stride *= radix;
      rest /= radix;
    }
    if (length % 2) throw new RangeError(`no transform of ${length} samples`);
    this.#turn = circle(length);
    this.#from = { real: new Float64Array(this.#half), imaginary: new Float64Array(this.#half) };
    this.#to = { real: new Float64Array(this.#half), imaginary: new Float64Array(this.#half) };
  }

  /** Writes X_k = Σ x_n e^(−2πikn / length), as numpy.fft.rfft. `samples`: `length` of them. */
  forward(samples: Float64Array, into: Spectrum): void {
    const half = this.#half;
    for (let i = 0; i < half; i++) {
      this.#from.real[i] = samples[2 * i];
      this.#from.imaginary[i] = samples[2 * i + 1];
    }
    this.#run();
    const { real, imaginary } = this.#from;
    for (let k = 0; k <= half; k++) {
      const a = k === half ? 0 : k;
      const b = k === 0 ? 0 : half - k;
      // Spectra of the even and the odd samples, taken apart by symmetry.
      const evenReal = (real[a] + real[b]) / 2;
      const evenImaginary = (imaginary[a] - imaginary[b]) / 2;
      const oddReal = (imaginary[a] + imaginary[b]) / 2;
      const oddImaginary = (real[b] - real[a]) / 2;
      const cosine = this.#turn.real[k];
      const sine = this.#turn.imaginary[k];
      into.real[k] = evenReal + oddReal * cosine - oddImaginary * sine;
      into.imaginary[k] = evenImaginary + oddReal * sine + oddImaginary * cosine;
    }
  }

  /** The inverse of `forward`: writes `length` samples. */
  inverse({ real, imaginary }: Spectrum, into: Float64Array): void {
    const half = this.#half;
    for (let k = 0; k < half; k++) {
      const mirrored = half - k;
      const evenReal = real[k] + real[mirrored];
      const evenImaginary = imaginary[k] - imaginary[mirrored];
      const differenceReal = real[k] - real[mirrored];
      const differenceImaginary = imaginary[k] + imaginary[mirrored];
      const cosine = this.#turn.real[k];
      const sine = -this.#turn.imaginary[k];
      const oddReal = differenceReal * cosine - differenceImaginary * sine;
      const oddImaginary = differenceReal * sine + differenceImaginary * cosine;
      // Conjugated, so that the transform below is the inverse.
      this.#from.real[k] = evenReal - oddImaginary;
      this.#from.imaginary[k] = -(evenImaginary + oddReal);
    }
    this.#run();
    const scale = 1 / this.length;
    for (let i = 0; i < half; i++) {
      into[2 * i] = this.#from.real[i] * scale;
      into[2 * i + 1] = -this.#from.imaginary[i] * scale;
    }
  }

  /** Stockham's transform of `#from`, which leaves its result there in order. */
  #run(): void {
    for (const pass of this.#passes) {
      if (pass.radix === 4) passOf4(pass, this.#from, this.#to);
      else if (pass.radix === 2) passOf2(pass, this.#from, this.#to);
      else passOfAny(pass, this.#from, this.#to);
      const done = this.#to;
      this.#to = this.#from;
      this.#from = done;
    }
  }
}

interface Pass {
  radix: number;
  stride: number;
  count: number;
  turn: Spectrum;
}

function passOf2({ stride, count, turn }: Pass, from: Spectrum, to: Spectrum): void {
  const { real, imaginary } = from;
  const jump = stride * count;
  for (let p = 0; p < count; p++) {
    const turnReal = turn.real[p];
    const turnImaginary = turn.imaginary[p];
    for (let q = 0; q < stride; q++) {
      const a = q + stride * p;
      const b = a + jump;
      const out = q + 2 * stride * p;
      const differenceReal = real[a] - real[b];
      const differenceImaginary = imaginary[a] - imaginary[b];
      to.real[out] = real[a] + real[b];
      to.imaginary[out] = imaginary[a] + imaginary[b];
      to.real[out + stride] = differenceReal * turnReal - differenceImaginary * turnImaginary;
      to.imaginary[out + stride] = differenceReal * turnImaginary + differenceImaginary * turnReal;
    }
  }
}

function passOf4({ stride, count, turn }: Pass, from: Spectrum, to: Spectrum): void {
  const { real, imaginary } = from;
  const { real: toReal, imaginary: toImaginary } = to;
  const jump = stride * count;
  for (let p = 0; p < count; p++) {
    const turn1Real = turn.real[p];
    const turn1Imaginary = turn.imaginary[p];
    const turn2Real = turn.real[2 * p];
    const turn2Imaginary = turn.imaginary[2 * p];
    const turn3Real = turn.real[3 * p];
    const turn3Imaginary = turn.imaginary[3 * p];
    for (let q = 0; q < stride; q++) {
      const a = q + stride * p;
      const b = a + jump;
      const c = b + jump;
      const d = c + jump;
      const sumReal = real[a] + real[c];
      const sumImaginary = imaginary[a] + imaginary[c];
      const differenceReal = real[a] - real[c];
      const differenceImaginary = imaginary[a] - imaginary[c];
      const otherReal = real[b] + real[d];
      const otherImaginary = imaginary[b] + imaginary[d];
      // −i (b − d).
      const turnedReal = imaginary[b] - imaginary[d];
      const turnedImaginary = real[d] - real[b];
      const out = q + 4 * stride * p;
      toReal[out] = sumReal + otherReal;
      toImaginary[out] = sumImaginary + otherImaginary;
      const firstReal = differenceReal + turnedReal;
      const firstImaginary = differenceImaginary + turnedImaginary;
      toReal[out + stride] = firstReal * turn1Real - firstImaginary * turn1Imaginary;
      toImaginary[out + stride] = firstReal * turn1Imaginary + firstImaginary * turn1Real;
      const secondReal = sumReal - otherReal;
      const secondImaginary = sumImaginary - otherImaginary;
      toReal[out + 2 * stride] = secondReal * turn2Real - secondImaginary * turn2Imaginary;
      toImaginary[out + 2 * stride] = secondReal * turn2Imaginary + secondImaginary * turn2Real;
      const thirdReal = differenceReal - turnedReal;
      const thirdImaginary = differenceImaginary - turnedImaginary;
      toReal[out + 3 * stride] = thirdReal * turn3Real - thirdImaginary * turn3Imaginary;
      toImaginary[out + 3 * stride] = thirdReal * turn3Imaginary + thirdImaginary * turn3Real;
    }
  }
}

function passOfAny({ radix, stride, count, turn }: Pass, from: Spectrum, to: Spectrum): void {
  const { real, imaginary } = from;
  const jump = stride * count;
  const all = count * radix;
  for (let p = 0; p < count; p++) {
    for (let k = 0; k < radix; k++) {
      for (let q = 0; q < stride; q++) {
        let sumReal = 0;
        let sumImaginary = 0;
        for (let j = 0; j < radix; j++) {
          const at = q + stride * p + j * jump;
          const angle = (p * k + j * k * count) % all;
          sumReal += real[at] * turn.real[angle] - imaginary[at] * turn.imaginary[angle];
          sumImaginary += real[at] * turn.imaginary[angle] + imaginary[at] * turn.real[angle];
        }
        to.real[q + stride * (radix * p + k)] = sumReal;
        to.imaginary[q + stride * (radix * p + k)] = sumImaginary;
      }
    }
  }
}

/** e^(−2πik / count) for k = 0 … count − 1, and one more. */
function circle(count: number): Spectrum {
  const angles = Float64Array.from({ length: count + 1 }, (_, k) => (-2 * Math.PI * k) / count);
  return { real: angles.map(Math.cos), imaginary: angles.map(Math.sin) };
}
