// Holes in received speech, on signals with known holes.
import t from "tap";
import { alignSpeech } from "../../../lab/bench/audio-delay.ts";
import { countAudioHoles } from "../../../lab/bench/audio-holes.ts";

const HEARD_RATE_HZ = 48_000;

/** Noise below 2 kHz at 48 kHz: words of 0.9 s with pauses of 0.3 s. */
function speech(seconds: number): Int16Array {
  let [state, value] = [17, 0];
  return Int16Array.from({ length: seconds * HEARD_RATE_HZ }, (_, index) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    value += 0.2 * ((state / 2 ** 32 - 0.5) * 24_000 - value);
    return index % 57_600 < 43_200 ? value : 0;
  });
}

function pieces(samples: Int16Array, size: number, firstAtMs: number, stepMs: number) {
  return Array.from({ length: Math.floor(samples.length / size) }, (_, index) => ({
    atMs: firstAtMs + index * stepMs,
    samples: samples.subarray(index * size, (index + 1) * size),
  }));
}

/** Holes found when `heard` (48 kHz) arrives `delayMs` after `spoken` was sent. */
function holesIn(spoken: Int16Array, heard: Int16Array, delayMs: number): number {
  const sent = Int16Array.from({ length: spoken.length / 3 }, (_, index) => spoken[index * 3]);
  return countAudioHoles(alignSpeech(pieces(sent, 320, 1000, 20), pieces(heard, 480, 1000 + delayMs, 10)));
}

/** Silence of `ms` at each of `atS`, in place of what was there. */
function withSilence(samples: Int16Array, atS: readonly number[], ms: number): Int16Array {
  const result = samples.slice();
  for (const at of atS) result.fill(0, at * HEARD_RATE_HZ, (at + ms / 1000) * HEARD_RATE_HZ);
  return result;
}

t.test("whole speech has no holes, however late, and pauses do not count", async (t) => {
  const spoken = speech(4);
  for (const delayMs of [60, 180, 2500]) t.equal(holesIn(spoken, spoken, delayMs), 0, `${delayMs} ms late`);
});

t.test("each silence within a word is one hole, also a short one", async (t) => {
  const spoken = speech(4);
  const atS = [0.3, 1.5, 2.9];
  for (const ms of [10, 40, 120]) t.equal(holesIn(spoken, withSilence(spoken, atS, ms), 150), 3, `${ms} ms each`);
});

t.test("silence that delays what follows is one hole, and counted once", async (t) => {
  const spoken = speech(4);
  const at = 1.5 * HEARD_RATE_HZ;
  const late = new Int16Array(spoken.length + 0.2 * HEARD_RATE_HZ);
  late.set(spoken.subarray(0, at));
  late.set(spoken.subarray(at), at + 0.2 * HEARD_RATE_HZ);
  t.equal(holesIn(spoken, late, 150), 1);
});

t.test("speech that never arrives counts", async (t) => {
  const spoken = speech(2);
  t.ok(holesIn(spoken, new Int16Array(spoken.length), 150) >= 3);
});
