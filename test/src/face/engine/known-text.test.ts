import t, { type Test } from "tap";
import { HOP_MS } from "../../../../shared/units.ts";
import { hopSamplesAt, SegmentSequencer, type SequencerStep } from "../../../../src/face/engine/segment-sequencer.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { LipSyncStream } from "../../../../src/face/lip-sync/lip-sync-stream.ts";
import { loadLipSyncNetwork } from "../../../../src/face/lip-sync/load-lip-sync-network.ts";
import { MouthShaper } from "../../../../src/face/lip-sync/mouth-shaper.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import type { TimedViseme } from "../../../../src/speech/visemes/timed-viseme.ts";
import { BILABIAL_SENTENCES, speakSentences } from "../../../helpers/speech/spoken.ts";

const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
t.teardown(() => network.close());

const RATE_HZ = 24_000;
const GAP_EVERY_MS = 400;
const GAP_MS = 90;

/** A hum that pauses every 400 ms, when the lips meet. The pauses in the output show where each closure belongs. */
function humWithClosures(durationMs: number): { samples: Int16Array; visemes: TimedViseme[] } {
  const samples = Int16Array.from({ length: (durationMs * RATE_HZ) / 1000 }, (_, i) => {
    const timeMs = (i * 1000) / RATE_HZ;
    return timeMs % GAP_EVERY_MS < GAP_EVERY_MS - GAP_MS ? 8000 * Math.sin((2 * Math.PI * 150 * timeMs) / 1000) : 0;
  });
  const visemes: TimedViseme[] = [];
  for (let timeMs = 0; timeMs < durationMs; timeMs += GAP_EVERY_MS) {
    const closesMs = timeMs + GAP_EVERY_MS - GAP_MS;
    visemes.push({ viseme: "aa", startMs: timeMs, endMs: closesMs });
    visemes.push({ viseme: "PP", startMs: closesMs, endMs: timeMs + GAP_EVERY_MS });
  }
  return { samples, visemes };
}

/** Level of a hop relative to the hum, and whether its frame is shut. */
interface SeenHop {
  level: number;
  isShut: boolean;
}

async function step(sequencer: SegmentSequencer, audio: Int16Array): Promise<SequencerStep> {
  await sequencer.computeAhead();
  return sequencer.step(audio);
}

function seen({ speech, speechSamples }: SequencerStep, audio: Int16Array): SeenHop[] {
  if (!speech || speechSamples < audio.length) return [];
  const power = audio.reduce((sum, value) => sum + value * value, 0) / audio.length;
  return [{ level: Math.sqrt(power) / (8000 / Math.SQRT2), isShut: speech.closurePeak > 0.5 }];
}

async function playAll(sequencer: SegmentSequencer, rateHz: number): Promise<SeenHop[]> {
  const audio = new Int16Array(hopSamplesAt(rateHz));
  const hops: SeenHop[] = [];
  for (let isOver = false; !isOver; ) {
    const made = await step(sequencer, audio);
    hops.push(...seen(made, audio));
    isOver = made.events.some(({ type }) => type === "segment-finished");
  }
  return hops;
}

/** Each silence in the audio has a shut frame, and nothing else has. */
function assertAligned(t: Test, hops: readonly SeenHop[], atLeast: number): void {
  const shut = hops.filter(({ isShut }) => isShut);
  t.ok(shut.length >= atLeast, `${shut.length} shut frames`);
  t.ok(
    shut.every(({ level }) => level < 0.85),
    "none over a whole hum",
  );
  const silent = hops.filter(({ level }) => level < 0.3);
  t.ok(
    silent.every(({ isShut }) => isShut),
    "all silent hops are shut",
  );
}

t.test("closures stay in sync with the audio at every output rate", async (t) => {
  for (const rateHz of [16_000, 24_000, 48_000]) {
    const sequencer = new SegmentSequencer({
      stream: new LipSyncStream(network),
      outputRateHz: rateHz,
      audioLeadTicks: 0,
    });
    const { samples, visemes } = humWithClosures(4000);
    const segment = sequencer.open("hum", RATE_HZ);
    sequencer.push(segment, samples, visemes);
    segment.end();
    assertAligned(t, await playAll(sequencer, rateHz), 10);
  }
});

t.test("closures stay in sync with delayed audio that is shortened", async (t) => {
  let nowMs = 0;
  const sequencer = new SegmentSequencer({
    stream: new LipSyncStream(network),
    outputRateHz: RATE_HZ,
    audioLeadTicks: 0,
    liveClock: () => nowMs,
  });
  const { samples, visemes } = humWithClosures(12_000);
  const segment = sequencer.open("late", RATE_HZ);
  const audio = new Int16Array(hopSamplesAt(RATE_HZ));
  const chunk = (RATE_HZ * 20) / 1000;
  const hops: SeenHop[] = [];
  // Chunks of 20 ms in real time, with a gap of 300 ms after which the delayed chunks arrive all at once.
  for (let sent = 0, isOver = false; !isOver; nowMs += HOP_MS) {
    const due = nowMs > 1000 && nowMs < 1300 ? sent : Math.min(samples.length, Math.floor(nowMs / 20) * chunk);
    for (; sent < due; sent += chunk) {
      const ownVisemes = visemes.filter(
        ({ startMs }) => Math.floor((startMs * RATE_HZ) / 1000 / chunk) * chunk === sent,
      );
      const atMs = (sent * 1000) / RATE_HZ;
      const timed = ownVisemes.map(({ viseme, startMs, endMs }) => ({
        viseme,
        startMs: startMs - atMs,
        endMs: endMs - atMs,
      }));
      sequencer.push(segment, samples.subarray(sent, sent + chunk), timed);
    }
    if (sent >= samples.length) segment.end();
    const made = await step(sequencer, audio);
    hops.push(...seen(made, audio));
    isOver = made.events.some(({ type }) => type === "segment-finished");
  }
  t.ok(hops.length < 12_000 / HOP_MS - 3, `${hops.length} hops: at least 120 ms were left out`);
  assertAligned(t, hops, 30);
});

t.test("after an interruption, nothing of the interrupted text remains", async (t) => {
  const sequencer = new SegmentSequencer({
    stream: new LipSyncStream(network),
    outputRateHz: RATE_HZ,
    audioLeadTicks: 0,
  });
  const { samples, visemes } = humWithClosures(2000);
  const first = sequencer.open("first", RATE_HZ);
  const shutAllAlong: TimedViseme[] = [{ viseme: "PP", startMs: 0, endMs: 2000 }];
  sequencer.push(first, samples, shutAllAlong);
  first.end();
  const audio = new Int16Array(hopSamplesAt(RATE_HZ));
  for (let tick = 0; tick < 10; tick++) await step(sequencer, audio);
  t.same(sequencer.clear(), ["first"]);
  await step(sequencer, audio);
  const second = sequencer.open("second", RATE_HZ);
  sequencer.push(second, samples, visemes);
  second.end();
  assertAligned(t, await playAll(sequencer, RATE_HZ), 5);
});

t.test("the built-in voices shut the lips for 98 of 100 P, B and M, in every sentence where they belong", async (t) => {
  let closures = 0;
  let shown = 0;
  for (const { samples, sampleRateHz, visemes } of await speakSentences(BILABIAL_SENTENCES, ["M1", "F2"])) {
    const sequencer = new SegmentSequencer({
      stream: new LipSyncStream(network),
      outputRateHz: 48_000,
      audioLeadTicks: 0,
    });
    const segment = sequencer.open("sentence", sampleRateHz);
    sequencer.push(segment, samples, visemes);
    segment.end();
    const mouth = new MouthShaper();
    const closed: number[] = [];
    const audio = new Int16Array(hopSamplesAt(48_000));
    for (let isOver = false; !isOver; ) {
      const made = await step(sequencer, audio);
      isOver = made.events.some(({ type }) => type === "segment-finished");
      if (!made.speech) continue;
      mouth.speak(made.speech);
      closed.push(mouth.closed);
    }
    for (const { startMs, endMs } of visemes.filter(({ viseme }) => viseme === "PP")) {
      closures += 1;
      const middleMs = (startMs + endMs) / 2;
      if (closed.some((value, k) => value > 0.5 && Math.abs((k + 0.5) * HOP_MS - middleMs) <= 60)) shown += 1;
    }
  }
  t.ok(closures > 50 && shown / closures >= 0.98, `${shown} of ${closures}`);
});
