import t from "tap";
import { Resampler } from "../../../src/audio/resampler.ts";

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
