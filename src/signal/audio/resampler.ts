// Changes the sample rate of a mono stream, chunk by chunk, from any sender's rate to that of the lip-sync network or
// the room.
import type { ResamplePosition, ResampleProgram } from "./executor/resample-program.ts";
import { type FilterBank, filterBankFor } from "./filter-bank.ts";

/** Rates that make sense for speech; other rates are refused. */
export const MIN_SAMPLE_RATE_HZ = 8_000;
export const MAX_SAMPLE_RATE_HZ = 192_000;

/** A streaming windowed-sinc resampler for mono float32 audio of any scale. N input samples give round(N · outputRateHz
 *  / inputRateHz) output samples by the end of `flush`, however they are split into chunks. Output sample k lies at the
 *  time of input sample k · inputRateHz / outputRateHz (no delay). Equal rates copy.
 *
 *  The returned arrays are views of one buffer of the resampler: use or copy them before the next `push` or `flush`.
 *  Buffers grow to the largest chunk, so that a steady stream allocates none. */
export class Resampler {
  readonly inputRateHz: number;
  readonly outputRateHz: number;
  /** Look-ahead: input samples that must follow an output sample before it can be computed; 0 at equal rates. */
  readonly lookAheadSamples: number;

  readonly #bank: FilterBank | null;
  readonly #program: ResampleProgram | null;
  /** Starts with the `#pendingCount` input samples that are still needed; the first one is number `#firstIndex` of the
   *  stream. */
  #pending: Float64Array;
  #pendingCount: number;
  #firstIndex: number;
  #output = new Float32Array(0);
  #inputCount = 0;
  #outputCount = 0;

  /** With a program, sums are computed in float32 by WebAssembly, otherwise in float64 by JavaScript: they differ by
   *  1e-6 of full scale at most. Throws RangeError for rates that are not whole numbers within 8–192 kHz. */
  constructor(inputRateHz: number, outputRateHz: number, program: ResampleProgram | null = null) {
    assertSampleRate(inputRateHz);
    assertSampleRate(outputRateHz);
    this.inputRateHz = inputRateHz;
    this.outputRateHz = outputRateHz;
    this.#program = program;
    this.#bank = inputRateHz === outputRateHz ? null : filterBankFor(inputRateHz, outputRateHz);
    this.lookAheadSamples = this.#bank ? this.#bank.taps / 2 : 0;
    // The filter starts half its length before the first sample; zeros are there.
    this.#firstIndex = -this.lookAheadSamples;
    this.#pending = new Float64Array(2 * this.lookAheadSamples);
    this.#pendingCount = this.lookAheadSamples;
  }

  /** Number of output samples for `inputSamples`, including those of `flush`. */
  outputLengthOf(inputSamples: number): number {
    return Math.round((inputSamples * this.outputRateHz) / this.inputRateHz);
  }

  /** Appends a chunk of any length and returns the output samples that can be computed so far (possibly none). */
  push(input: Float32Array): Float32Array<ArrayBuffer> {
    this.#inputCount += input.length;
    if (!this.#bank) {
      this.#outputCount += input.length;
      const copy = this.#outputOf(input.length);
      copy.set(input);
      return copy;
    }
    this.#append(input);
    const lastUsable = this.#inputCount - 1 - this.lookAheadSamples;
    const ready = Math.floor((lastUsable * this.outputRateHz) / this.inputRateHz) + 1;
    return this.#produce(ready);
  }

  /** Returns the remaining output samples, as if silence followed, and begins a new stream. */
  flush(): Float32Array<ArrayBuffer> {
    let tail = new Float32Array(0);
    if (this.#bank) {
      this.#append(new Float32Array(this.#bank.taps + 1));
      tail = this.#produce(this.outputLengthOf(this.#inputCount));
    }
    this.#inputCount = 0;
    this.#outputCount = 0;
    this.#firstIndex = -this.lookAheadSamples;
    this.#pending.fill(0);
    this.#pendingCount = this.lookAheadSamples;
    return tail;
  }

  #append(input: Float32Array): void {
    const count = this.#pendingCount + input.length;
    if (count > this.#pending.length) {
      const grown = new Float64Array(count);
      grown.set(this.#pending.subarray(0, this.#pendingCount));
      this.#pending = grown;
    }
    this.#pending.set(input, this.#pendingCount);
    this.#pendingCount = count;
  }

  /** The first `count` samples of the output buffer. */
  #outputOf(count: number): Float32Array<ArrayBuffer> {
    if (count > this.#output.length) this.#output = new Float32Array(count);
    return this.#output.subarray(0, count);
  }

  /** Computes output samples up to `untilCount` of the stream and drops input that is not needed any more. */
  #produce(untilCount: number): Float32Array<ArrayBuffer> {
    const bank = this.#bank!;
    const count = Math.max(0, untilCount - this.#outputCount);
    const output = this.#outputOf(count);
    const { inputRateHz, outputRateHz } = this;
    const before = bank.taps / 2 - 1 + this.#firstIndex;
    // Integer arithmetic: a running float position would drift over hours.
    const scaled = this.#outputCount * inputRateHz;
    const base = Math.floor(scaled / outputRateHz);
    const position = { start: base - before, remainder: scaled - base * outputRateHz, inputRateHz, outputRateHz };
    const isDone = this.#program?.resample(bank, this.#pending, this.#pendingCount, position, output);
    if (!isDone) resample(bank, this.#pending, position, output);
    this.#outputCount += count;
    const nextBase = Math.floor((this.#outputCount * inputRateHz) / outputRateHz);
    const used = Math.min(this.#pendingCount, Math.max(0, nextBase - before));
    this.#pending.copyWithin(0, used, this.#pendingCount);
    this.#pendingCount -= used;
    this.#firstIndex += used;
    return output;
  }
}

/** Fills `output` from `samples`; the same loop as in resample.c. */
function resample(
  bank: FilterBank,
  samples: Float64Array,
  { start, remainder, inputRateHz, outputRateHz }: ResamplePosition,
  output: Float32Array,
): void {
  const wholeStep = Math.floor(inputRateHz / outputRateHz);
  const step = inputRateHz % outputRateHz;
  const phasesPerUnit = bank.phases / outputRateHz;
  for (let k = 0, first = start, rest = remainder; k < output.length; k++) {
    const phase = Math.round(rest * phasesPerUnit);
    // The last phase of all is the first one of the next sample.
    output[k] = phase === bank.phases ? filtered(bank, 0, samples, first + 1) : filtered(bank, phase, samples, first);
    first += wholeStep;
    rest += step;
    if (rest >= outputRateHz) {
      rest -= outputRateHz;
      first += 1;
    }
  }
}

/** One output sample: `samples` from `start` on, weighted by the filter of a phase. Two running sums, because one would
 *  wait for the previous addition; doubles, because singles are converted at each step. Together they take 0.6 of the
 *  time. */
function filtered({ taps, coefficients }: FilterBank, phase: number, samples: Float64Array, start: number): number {
  const row = phase * taps;
  let even = 0;
  let odd = 0;
  for (let tap = 0; tap < taps; tap += 2) {
    even += coefficients[row + tap] * samples[start + tap];
    odd += coefficients[row + tap + 1] * samples[start + tap + 1];
  }
  return even + odd;
}

/** Throws RangeError unless the rate is a whole number within 8–192 kHz. */
function assertSampleRate(sampleRateHz: number): void {
  if (!Number.isInteger(sampleRateHz) || sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    throw new RangeError(
      `a sample rate must be a whole number from ${MIN_SAMPLE_RATE_HZ} to ${MAX_SAMPLE_RATE_HZ} Hz, not ${sampleRateHz}`,
    );
  }
}
