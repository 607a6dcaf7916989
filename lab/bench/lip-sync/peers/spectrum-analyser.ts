// The part of a browser's AnalyserNode that lip-sync libraries use. Source: Web Audio API, "FFT windowing and smoothing
// over time".

/** Blackman window, α = 0.16. */
const WINDOW = [0.42, 0.5, 0.08] as const;
const SMOOTHING = 0.8;
const MIN_DB = -100;
const MAX_DB = -30;

export class SpectrumAnalyser {
  #fftSize = 2048;
  #smoothed = new Float64Array(1024);
  #block = new Float64Array(2048);

  get fftSize(): number {
    return this.#fftSize;
  }

  /** A power of two. */
  set fftSize(size: number) {
    this.#fftSize = size;
    this.#smoothed = new Float64Array(size / 2);
    this.#block = new Float64Array(size);
  }

  get frequencyBinCount(): number {
    return this.#fftSize / 2;
  }

  /** The audio up to `end` (in samples) has been played: the last `fftSize` of it are looked at. */
  analyse(audio: Float32Array, end: number): void {
    for (let i = 0; i < this.#fftSize; i++) this.#block[i] = audio[end - this.#fftSize + i] ?? 0;
  }

  /** Levels of the bins, 0 (−100 dB) to 255 (−30 dB), smoothed over calls. */
  getByteFrequencyData(levels: Uint8Array): void {
    const size = this.#fftSize;
    const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
    for (let i = 0; i < size; i++) {
      const phase = (2 * Math.PI * i) / size;
      real[i] = this.#block[i] * (WINDOW[0] - WINDOW[1] * Math.cos(phase) + WINDOW[2] * Math.cos(2 * phase));
    }
    transform(real, imaginary);
    for (let bin = 0; bin < levels.length; bin++) {
      const magnitude = Math.hypot(real[bin], imaginary[bin]) / size;
      this.#smoothed[bin] = SMOOTHING * this.#smoothed[bin] + (1 - SMOOTHING) * magnitude;
      const levelDb = 20 * Math.log10(this.#smoothed[bin] + 1e-12);
      levels[bin] = Math.max(0, Math.min(255, Math.floor((255 * (levelDb - MIN_DB)) / (MAX_DB - MIN_DB))));
    }
  }
}

/** Discrete Fourier transform in place; the length must be a power of two. Source: Cooley & Tukey, 1965. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j], real[i]];
      [imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]];
    }
  }
  for (let length = 2; length <= size; length *= 2) {
    for (let k = 0; k < length / 2; k++) {
      const angle = (-2 * Math.PI * k) / length;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (let i = k; i < size; i += length) {
        const other = i + length / 2;
        const re = real[other] * cos - imaginary[other] * sin;
        const im = real[other] * sin + imaginary[other] * cos;
        [real[other], imaginary[other]] = [real[i] - re, imaginary[i] - im];
        real[i] += re;
        imaginary[i] += im;
      }
    }
  }
}
