import t from "tap";
import { loadResampleProgram } from "../../../../src/signal/audio/executor/resample-program.ts";
import { filterBankFor } from "../../../../src/signal/audio/filter-bank.ts";
import { Resampler } from "../../../../src/signal/audio/resampler.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";

const RATES_HZ = [8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000, 192_000];

function sine(frequencyHz: number, sampleRateHz: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => 0.5 * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz));
}

function resampled(resampler: Resampler, input: Float32Array, chunkSamples: number): Float32Array {
  const output: number[] = [];
  for (let i = 0; i < input.length; i += chunkSamples) {
    output.push(...resampler.push(input.subarray(i, i + chunkSamples)));
  }
  output.push(...resampler.flush());
  return Float32Array.from(output);
}

/** Much faster than `t.same`. */
function isEqual(left: Float32Array, right: Float32Array): boolean {
  return left.length === right.length && left.every((value, i) => value === right[i]);
}

/** Signal to error in dB, away from both ends, where the stream begins and ends in silence. */
function qualityDb(output: Float32Array, wanted: Float32Array): number {
  let signal = 0;
  let error = 0;
  for (let i = 200; i < output.length - 200; i++) {
    signal += wanted[i] ** 2;
    error += (output[i] - wanted[i]) ** 2;
  }
  return 10 * Math.log10(signal / error);
}

t.test("N samples in give round(N · out / in) samples out, at every pair of rates", async (t) => {
  for (const inputRateHz of RATES_HZ) {
    for (const outputRateHz of [16_000, 48_000]) {
      const resampler = new Resampler(inputRateHz, outputRateHz);
      const count = 2341;
      const output = resampled(resampler, new Float32Array(count), 480);
      t.equal(output.length, Math.round((count * outputRateHz) / inputRateHz), `${inputRateHz} to ${outputRateHz}`);
    }
  }
});

t.test("a tone in the pass band is not delayed, and is 60 dB above the error", async (t) => {
  for (const inputRateHz of RATES_HZ) {
    for (const outputRateHz of [16_000, 48_000]) {
      const output = resampled(new Resampler(inputRateHz, outputRateHz), sine(1000, inputRateHz, inputRateHz / 5), 777);
      const quality = qualityDb(output, sine(1000, outputRateHz, output.length));
      t.ok(quality > 60, `${inputRateHz} to ${outputRateHz}: ${quality.toFixed(0)} dB`);
    }
  }
});

t.test("frequencies above the lower Nyquist frequency are removed without aliasing", async (t) => {
  const output = resampled(new Resampler(48_000, 16_000), sine(11_000, 48_000, 9600), 480);
  t.ok(Math.max(...output.subarray(200, -200).map(Math.abs)) < 0.001);
});

t.test("the output does not depend on the chunk size", async (t) => {
  const input = sine(440, 44_100, 5000);
  const whole = resampled(new Resampler(44_100, 16_000), input, input.length);
  for (const chunkSamples of [1, 7, 441, 1024]) {
    t.same(resampled(new Resampler(44_100, 16_000), input, chunkSamples), whole, `${chunkSamples} at a time`);
  }
});

t.test("equal rates copy, and a constant stays constant", async (t) => {
  const input = sine(440, 16_000, 1000);
  t.same(resampled(new Resampler(16_000, 16_000), input, 160), input);
  const constant = resampled(new Resampler(44_100, 48_000), new Float32Array(4410).fill(0.25), 100);
  t.ok(constant.subarray(100, -100).every((value) => Math.abs(value - 0.25) < 1e-4));
});

t.test("a steady stream is resampled in one buffer, which each push overwrites", async (t) => {
  for (const [inputRateHz, outputRateHz] of [
    [22_050, 48_000],
    [16_000, 16_000],
  ]) {
    const resampler = new Resampler(inputRateHz, outputRateHz);
    const chunk = sine(300, inputRateHz, inputRateHz / 25);
    for (let i = 0; i < 3; i++) resampler.push(chunk);
    const buffers = new Set(Array.from({ length: 50 }, () => resampler.push(chunk).buffer));
    t.ok(buffers.size <= 2, `${buffers.size} buffers: it grows at most once more, by a sample`);
  }
});

t.test("a resampler begins a new stream after flush", async (t) => {
  const resampler = new Resampler(22_050, 48_000);
  const first = resampled(resampler, sine(300, 22_050, 1000), 100);
  t.same(resampled(resampler, sine(300, 22_050, 1000), 100), first);
});

t.test("rates outside 8–192 kHz are refused", async (t) => {
  for (const rate of [0, 7999, 192_001, 44_100.5, Number.NaN]) {
    t.throws(() => new Resampler(rate, 48_000), RangeError, String(rate));
  }
});

t.test("the WebAssembly module gives the same samples as JavaScript, at any rate and chunk size", async (t) => {
  const program = await loadResampleProgram(createNodeRuntime());
  t.ok(program);
  t.equal(await loadResampleProgram(createNodeRuntime()), program, "one for the process");
  const noise = sine(3333, 16_000, 2000).map((value, i) => value + 0.4 * Math.sin(i * i));
  for (const inputRateHz of [...RATES_HZ, 12_345, 47_999]) {
    for (const outputRateHz of [16_000, 48_000]) {
      const expected = resampled(new Resampler(inputRateHz, outputRateHz), noise, noise.length);
      const whole = resampled(new Resampler(inputRateHz, outputRateHz, program), noise, noise.length);
      const worst = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - whole[i])), 0);
      t.equal(whole.length, expected.length);
      t.ok(worst < 2e-6, `${inputRateHz} to ${outputRateHz}: ${worst}`);
      const chunked = resampled(new Resampler(inputRateHz, outputRateHz, program), noise, 333);
      t.ok(isEqual(chunked, whole), "the output does not depend on the chunk size");
    }
  }
});

t.test("chunks and filters that do not fit into the module are resampled in JavaScript", async (t) => {
  const program = await loadResampleProgram(createNodeRuntime());
  const long = sine(440, 48_000, 20_000);
  t.ok(isEqual(new Resampler(48_000, 16_000, program).push(long), new Resampler(48_000, 16_000).push(long)));
  // Each of these banks takes 0.9 MB; together they exceed what the module keeps.
  const input = sine(440, 47_000, 2000);
  const rates = [47_001, 47_003, 47_009, 47_017, 47_021, 47_023, 47_027, 47_029];
  for (const rateHz of rates) {
    t.ok(filterBankFor(rateHz, 48_000).phases > 4000);
    const output = resampled(new Resampler(rateHz, 48_000, program), input, 480);
    const expected = resampled(new Resampler(rateHz, 48_000), input, 480);
    t.ok(
      expected.every((value, i) => Math.abs(value - output[i]) < 2e-6),
      `${rateHz} Hz`,
    );
  }
});

t.test("a steady stream allocates no arrays of samples", async (t) => {
  for (const program of [null, await loadResampleProgram(createNodeRuntime())]) {
    const resampler = new Resampler(16_000, 48_000, program);
    const hop = sine(440, 16_000, 640);
    for (let k = 0; k < 3; k++) resampler.push(hop);
    const { buffer } = resampler.push(hop);
    const before = process.memoryUsage().arrayBuffers;
    for (let k = 0; k < 100; k++) t.equal(resampler.push(hop).buffer, buffer);
    t.ok(process.memoryUsage().arrayBuffers <= before);
  }
});
