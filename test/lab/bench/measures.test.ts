// The measures of demo and bench, on signals with known delays.
import t from "tap";
import { LOUDNESS_STEP_MS, measureLipSync, toCoarseLuma } from "../../../cli/demo/lip-sync.ts";
import { SpeechMeter } from "../../../cli/demo/speech-meter.ts";
import { measureAudioDelays } from "../../../lab/bench/audio-delay.ts";
import { percentile, summarize } from "../../../lab/bench/percentile.ts";
import { createI420Frame } from "../../../src/signal/image/i420-frame.ts";

/** A fixed sequence of numbers from 0 to 1 (a linear congruential generator). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Loudness of bursts of 200 ms with pauses of 200 to 500 ms, 10 ms a step. */
function burstLoudness(durationMs: number): number[] {
  const random = randomNumbers(7);
  const steps: number[] = [];
  while (steps.length * LOUDNESS_STEP_MS < durationMs) {
    steps.push(...new Array(20).fill(3000), ...new Array(20 + Math.floor(random() * 30)).fill(0));
  }
  return steps;
}

t.test("lip sync finds the lag of a mouth, early or late, under a swaying head", async (t) => {
  const loudness = burstLoudness(12_000);
  for (const lagMs of [-120, -40, 0, 45, 130]) {
    const frames = Array.from({ length: 300 }, (_, index) => {
      const atMs = 5000 + index * 40;
      const frame = createI420Frame(64, 64);
      frame.data.fill(120 + 20 * Math.sin(index / 40), 0, 64 * 64);
      // The mouth opens in proportion to the loudness of its 40 ms.
      const from = (atMs - 5000 - lagMs) / LOUDNESS_STEP_MS;
      const near = [0, 1, 2, 3].map((step) => loudness[Math.round(from + step)] ?? 0);
      const openness = near.reduce((sum, value) => sum + value, 0) / (4 * 3000);
      for (let y = 40; y < 48; y++) frame.data.fill(120 - 100 * openness, y * 64 + 24, y * 64 + 40);
      return { atMs, luma: toCoarseLuma(frame) };
    });
    const { skewMs, strength } = measureLipSync({ frames, loudness, audioAtMs: 5000 });
    t.ok(Math.abs(skewMs - lagMs) <= 5, `${lagMs} ms is measured as ${skewMs} ms`);
    t.ok(strength > 0.9, `the mouth follows the audio (${strength})`);
  }
});

t.test("a mouth that moves independently of the audio has almost no strength", async (t) => {
  const random = randomNumbers(3);
  const frames = Array.from({ length: 300 }, (_, index) => {
    const frame = createI420Frame(64, 64);
    for (let y = 40; y < 48; y++) frame.data.fill(255 * random(), y * 64 + 24, y * 64 + 40);
    return { atMs: index * 40, luma: toCoarseLuma(frame) };
  });
  t.ok(measureLipSync({ frames, loudness: burstLoudness(12_000), audioAtMs: 0 }).strength < 0.3);
  t.throws(() => measureLipSync({ frames: frames.slice(0, 10), loudness: [], audioAtMs: 0 }), RangeError);
});

t.test("audio delays are found to the millisecond, pauses are left out", async (t) => {
  const random = randomNumbers(11);
  // Noise below 2 kHz, in words of 0.8 s and pauses of 0.7 s, at 48 kHz.
  let value = 0;
  const heardAll = Int16Array.from({ length: 48_000 * 6 }, (_, index) => {
    value += 0.2 * ((random() - 0.5) * 20_000 - value);
    return index % 72_000 < 38_400 ? value : 0;
  });
  const sentAll = Int16Array.from({ length: 16_000 * 6 }, (_, index) => heardAll[index * 3]);
  const pieces = (all: Int16Array, size: number, firstAtMs: number, stepMs: number) =>
    Array.from({ length: all.length / size }, (_, index) => ({
      atMs: firstAtMs + index * stepMs,
      samples: all.subarray(index * size, (index + 1) * size),
    }));
  const sent = pieces(sentAll, 320, 1000, 20);
  const heard = pieces(heardAll, 480, 1173, 10);
  const delays = measureAudioDelays(sent, heard);
  t.ok(delays.length >= 6, `${delays.length} windows`);
  for (const delayMs of delays) t.ok(Math.abs(delayMs - 173) < 1, `${delayMs} ms`);
});

t.test("missing audio counts as a gap, a stalled listener does not", async (t) => {
  const meter = new SpeechMeter();
  let atMs = 0;
  const hear = (steps: number, stepMs: number) => {
    for (let step = 0; step < steps; step++) {
      meter.addAudio({ samples: new Int16Array(480), atMs });
      atMs += stepMs;
    }
  };
  hear(100, 10);
  atMs += 400;
  hear(40, 0);
  hear(200, 10);
  t.equal(meter.audioGaps, 0);
  atMs += 400;
  hear(200, 10);
  t.equal(meter.audioGaps, 1);
});

t.test("percentiles are values that were measured", async (t) => {
  t.equal(percentile([5, 1, 3], 0.5), 3);
  t.equal(percentile([5, 1, 3], 1), 5);
  t.same(summarize([1, 2, 3, 4]), { p50: 2, p95: 4, max: 4 });
  t.throws(() => percentile([], 0.5), RangeError);
});
