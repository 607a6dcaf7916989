// Changes the sample rate of a mono stream, chunk by chunk, from any sender's rate to that of the hearing network or
// the room.
import { type FilterBank, filterBankFor } from "./filter-bank.ts";

/** Rates that make sense for speech; other rates are refused. */
const MIN_SAMPLE_RATE_HZ = 8_000;
const MAX_SAMPLE_RATE_HZ = 192_000;

/** A streaming windowed-sinc resampler for mono float32 audio of any scale. N input samples give round(N · outputRateHz
 *  / inputRateHz) output samples by the end of `flush`, however they are split into chunks. Output sample k lies at the
 *  time of input sample k · inputRateHz / outputRateHz (no delay). Equal rates copy. */
export class Resampler {
  readonly inputRateHz: number;
  readonly outputRateHz: number;
  /** Look-ahead: input samples that must follow an output sample before it can be computed; 0 at equal rates. */
  readonly lookAheadSamples: number;

  readonly #bank: FilterBank | null;
  /** Input that is still needed; the first sample is number `#firstIndex` of the stream. */
  #pending: Float32Array = new Float32Array(0);
  #firstIndex: number;
  #inputCount = 0;
  #outputCount = 0;

  /** Throws RangeError for rates that are not whole numbers within 8–192 kHz. */
  constructor(inputRateHz: number, outputRateHz: number) {
    assertSampleRate(inputRateHz);
    assertSampleRate(outputRateHz);
    this.inputRateHz = inputRateHz;
    this.outputRateHz = outputRateHz;
    this.#bank = inputRateHz === outputRateHz ? null : filterBankFor(inputRateHz, outputRateHz);
    this.lookAheadSamples = this.#bank ? this.#bank.taps / 2 : 0;
    // The filter starts half its length before the first sample; zeros are there.
    this.#firstIndex = -this.lookAheadSamples;
    this.#pending = new Float32Array(this.lookAheadSamples);
  }

  /** Number of output samples for `inputSamples`, including those of `flush`. */
  outputLengthOf(inputSamples: number): number {
    return Math.round((inputSamples * this.outputRateHz) / this.inputRateHz);
  }

  /** Appends a chunk of any length and returns the output samples that can be computed so far (possibly none). */
  push(input: Float32Array): Float32Array {
    this.#inputCount += input.length;
    if (!this.#bank) {
      this.#outputCount += input.length;
      return input.slice();
    }
    this.#append(input);
    const lastUsable = this.#inputCount - 1 - this.lookAheadSamples;
    const ready = Math.floor((lastUsable * this.outputRateHz) / this.inputRateHz) + 1;
    return this.#produce(ready);
  }

  /** Returns the remaining output samples, as if silence followed, and begins a new stream. */
  flush(): Float32Array {
    let tail = new Float32Array(0);
    if (this.#bank) {
      this.#append(new Float32Array(this.#bank.taps + 1));
      tail = this.#produce(this.outputLengthOf(this.#inputCount));
    }
    this.#inputCount = 0;
    this.#outputCount = 0;
    this.#firstIndex = -this.lookAheadSamples;
    this.#pending = new Float32Array(this.lookAheadSamples);
    return tail;
  }

  #append(input: Float32Array): void {
    const joined = new Float32Array(this.#pending.length + input.length);
    joined.set(this.#pending);
    joined.set(input, this.#pending.length);
    this.#pending = joined;
  }

  /** Computes output samples up to `untilCount` of the stream and drops input that is not needed any more. */
  #produce(untilCount: number): Float32Array<ArrayBuffer> {
    const bank = this.#bank!;
    const count = Math.max(0, untilCount - this.#outputCount);
    const output = new Float32Array(count);
    const { taps, phases, coefficients } = bank;
    for (let k = 0; k < count; k++) {
      // Integer arithmetic: a running float position would drift over hours.
      const scaled = (this.#outputCount + k) * this.inputRateHz;
      let base = Math.floor(scaled / this.outputRateHz);
      let phase = Math.round(((scaled - base * this.outputRateHz) / this.outputRateHz) * phases);
      if (phase === phases) {
        phase = 0;
        base += 1;
      }
      const start = base - taps / 2 + 1 - this.#firstIndex;
      const row = phase * taps;
      let sum = 0;
      for (let tap = 0; tap < taps; tap++) sum += coefficients[row + tap] * this.#pending[start + tap];
      output[k] = sum;
    }
    this.#outputCount += count;
    const nextBase = Math.floor((this.#outputCount * this.inputRateHz) / this.outputRateHz);
    const used = Math.min(this.#pending.length, Math.max(0, nextBase - taps / 2 + 1 - this.#firstIndex));
    this.#pending = this.#pending.slice(used);
    this.#firstIndex += used;
    return output;
  }
}

/** Throws RangeError unless the rate is a whole number within 8–192 kHz. */
function assertSampleRate(sampleRateHz: number): void {
  if (!Number.isInteger(sampleRateHz) || sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    throw new RangeError(
      `a sample rate must be a whole number from ${MIN_SAMPLE_RATE_HZ} to ${MAX_SAMPLE_RATE_HZ} Hz, not ${sampleRateHz}`,
    );
  }
}
