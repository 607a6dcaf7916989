import t from "tap";
import { toFloatSamples } from "../../../../src/signal/audio/samples.ts";
import { TimeShortener } from "../../../../src/signal/audio/time-shortener.ts";
import { speakSentences } from "../../../helpers/speech/spoken.ts";

/** Shortens a stream block by block and counts what was left out. */
function shortenAll(audio: Float32Array, rateHz: number, blockMs: number, atMostSamples = Number.POSITIVE_INFINITY) {
  const shortener = new TimeShortener(rateHz);
  const blockSamples = (rateHz * blockMs) / 1000;
  const output: number[] = [];
  const cuts: number[] = [];
  for (let from = 0; from < audio.length; from += blockSamples) {
    const block = audio.subarray(from, from + blockSamples);
    const shortened = shortener.shorten(block, atMostSamples);
    cuts.push(block.length - shortened.length);
    output.push(...shortened);
  }
  return { output, cuts, share: 1 - output.length / audio.length };
}

const largestStep = (samples: ArrayLike<number>): number => {
  let largest = 0;
  for (let i = 1; i < samples.length; i++) largest = Math.max(largest, Math.abs(samples[i] - samples[i - 1]));
  return largest;
};

const sine = (rateHz: number, toneHz: number, seconds: number) =>
  Float32Array.from({ length: rateHz * seconds }, (_, i) => 0.5 * Math.sin((2 * Math.PI * toneHz * i) / rateHz));

for (const rateHz of [8000, 16_000, 44_100, 192_000]) {
  for (const blockMs of [20, 40]) {
    t.test(
      `a tone at ${rateHz} Hz in blocks of ${blockMs} ms gets shorter, keeps its pitch, and never clicks`,
      async (t) => {
        const toneHz = 190;
        const tone = sine(rateHz, toneHz, 2);
        const { output, share } = shortenAll(tone, rateHz, blockMs);
        t.ok(share > 0.08 && share <= 0.125, `${(share * 100).toFixed(1)} % shorter`);
        t.ok(largestStep(output) < largestStep(tone) * 1.15, "no step is much larger than the tone's own");
        let periods = 0;
        for (let i = 1; i < output.length; i++) if (output[i - 1] < 0 && output[i] >= 0) periods += 1;
        t.ok(Math.abs(periods / (output.length / rateHz) - toneHz) < 2, "periods a second stay");
      },
    );
  }
}

t.test("never removes more samples than requested", async (t) => {
  for (const audio of [sine(16_000, 190, 0.4), new Float32Array(6400)]) {
    const { cuts } = shortenAll(audio, 16_000, 40, 100);
    t.ok(Math.max(...cuts) > 0 && Math.max(...cuts) <= 100);
    t.same(shortenAll(audio, 16_000, 40, 0).output, [...audio]);
  }
});

t.test("up to half of each block in a pause is removed, for blocks of any length", async (t) => {
  const hush = Float32Array.from({ length: 16_000 }, (_, i) => 0.002 * Math.sin(i * 1.7));
  const { output, share } = shortenAll(hush, 16_000, 40);
  t.equal(share, 0.5);
  t.ok(largestStep(output) <= largestStep(hush) * 1.01);
  for (let length = 0; length < 40; length++) {
    const block = new Float32Array(length).fill(0.3);
    t.ok(new TimeShortener(16_000).shorten(block, 1e9).length <= length);
    t.ok(new TimeShortener(16_000).shorten(new Float32Array(length), 1e9).length >= length / 2);
  }
});

t.test("noise, which has no period, is not shortened", async (t) => {
  let state = 1;
  const noise = Float32Array.from({ length: 32_000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  });
  t.same(shortenAll(noise, 16_000, 40).share, 0);
});

t.test("speech gets noticeably shorter without a click", async (t) => {
  const [{ samples, sampleRateHz }] = await speakSentences(["We were away all year."], ["M1"]);
  const speech = toFloatSamples(samples);
  const { output, share } = shortenAll(speech, sampleRateHz, 20);
  t.ok(share > 0.05, `${(share * 100).toFixed(1)} % shorter`);
  t.ok(largestStep(output) <= largestStep(speech) * 1.1);
});
