import t from "tap";
import { fadeOver } from "../../../../../src/speech/voice/neural/fade-over.ts";

/** 100 ms at 24 kHz. */
const OVERLAP = 2400;

function tone(amplitude: number, length: number): Int16Array {
  return Int16Array.from({ length }, (_, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * 200 * index) / 24_000)),
  );
}

function level(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}

t.test("a piece begins as the one before it ends, and returns to its own level within 0.4 s", async (t) => {
  for (const [before, after] of [
    [4000, 1800],
    [1800, 4000],
  ]) {
    const ending = tone(before, OVERLAP);
    const samples = tone(after, 12_000);
    fadeOver(ending, samples);
    t.equal(samples[0], ending[0]);
    t.ok(Math.abs(samples[30] - ending[30]) < 0.02 * before, "no click");
    const overlapping = 20 * Math.log10(level(samples.subarray(0, OVERLAP)) / level(ending));
    t.ok(Math.abs(overlapping) < 2, `the level goes on: ${overlapping.toFixed(1)} dB`);
    const parts = [0, 1, 2, 3].map((part) => level(samples.subarray(part * OVERLAP, (part + 1) * OVERLAP)));
    t.ok(
      parts.every((part, index) => index === 0 || (part - parts[index - 1]) * (after - before) > 0),
      "without a step",
    );
    t.same(samples.subarray(9600), tone(after, 12_000).subarray(9600));
  }
});

t.test("the level of a pause is not raised; the first piece of a sentence stays as it is", async (t) => {
  const quiet = tone(20, 12_000);
  fadeOver(tone(4000, OVERLAP), quiet);
  t.same(quiet.subarray(OVERLAP), tone(20, 12_000).subarray(OVERLAP));
  const first = tone(1000, 12_000);
  fadeOver(new Int16Array(0), first);
  t.same(first, tone(1000, 12_000));
});
