// The avatar's own audio in the person's microphone, from the pacer's queue to the blocks that are recognised.
import t from "tap";
import { EchoGuard } from "../../../../agent-worker/conversation/person/echo-guard.ts";
import { speakTexts } from "../../../../cli/conversation/person-voice.ts";

const RATE_HZ = 16_000;
const STEP_MS = 40;
const DELAY_MS = 180;

/** 48 kHz by repetition: what lies above 8 kHz is filtered out again. */
function atEngineRate(samples: Int16Array): Int16Array {
  return Int16Array.from({ length: samples.length * 3 }, (_, i) => samples[Math.floor(i / 3)]);
}

t.test("what the avatar says is taken out of the microphone, in steps as the pacer queues them", async (t) => {
  const [speech] = await speakTexts(["I am the only one who speaks here, and this is my own voice that comes back."]);
  const guard = new EchoGuard(48_000);
  const step = (RATE_HZ * STEP_MS) / 1000;
  const startMs = performance.now();
  const clock = t.capture(performance, "now", () => nowMs);
  let nowMs = startMs;
  let heard = 0;
  let loudest = 0;
  for (let at = 0; at + step <= speech.length; at += step) {
    guard.played(atEngineRate(speech.subarray(at, at + step)), startMs + (at / RATE_HZ) * 1000);
  }
  const delay = (DELAY_MS * RATE_HZ) / 1000;
  for (let at = 0; at + 320 <= speech.length; at += 320) {
    const block = Int16Array.from({ length: 320 }, (_, i) => Math.round((speech[at + i - delay] ?? 0) / 4));
    nowMs = startMs + ((at + 320) / RATE_HZ) * 1000;
    const clean = guard.clean(block);
    for (const sample of block) heard = Math.max(heard, Math.abs(sample));
    for (const sample of clean) loudest = Math.max(loudest, Math.abs(sample));
  }
  clock.restore();
  t.ok(heard > 1_000, "there was an echo");
  t.ok(loudest < heard / 10, `and it is gone (${loudest} of ${heard})`);
});

t.test("a microphone is untouched while the avatar is silent", async (t) => {
  const guard = new EchoGuard(48_000);
  const block = Int16Array.from({ length: 320 }, (_, i) => i);
  t.same(guard.clean(block), block);
});
