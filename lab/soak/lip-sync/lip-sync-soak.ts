// Minutes of speech of several voices, loud, quiet, noisy, interrupted by hostile audio, without a reset: our executor
// of the lip-sync network beside ONNX Runtime.
import { HOP_MS, LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { loadLipSyncNetwork } from "../../../src/face/lip-sync/load-lip-sync-network.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { largestDifference, noise } from "../../../test/helpers/faces/compare-lip-sync.ts";
import { speakSentences, toSpeechAudio } from "../../../test/helpers/speech/spoken.ts";

/** Largest difference of a posterior or of a closure that counts as the same answer. */
const LIMIT = 1e-3;
const VOICES = ["M1", "F2", "M3", "F5"];
const SENTENCES = [
  "Please bring my big blue paper bag back home before Monday.",
  "The weather was fine, so we walked along the river and talked about music.",
  "How many people would you like to invite, and where should they sit?",
  "Above the hills a small white cloud was moving slowly to the west.",
  "Five of the very first visitors gave their views on the new theatre.",
];
/** Largest input: the executor limits samples to ± 8. */
const LOUDEST = 8;

export interface LipSyncSoakOptions {
  minutes: number;
  seed: number;
  report(line: string): void;
}

export interface LipSyncSoakResult {
  minutes: number;
  hops: number;
  /** Largest difference of a posterior or of a closure. */
  worst: number;
  limit: number;
  hopsBeyond: number;
}

/** Runs both programs on the same audio. Both start once; the state is carried through all of it. */
export async function soakLipSync({ minutes, seed, report }: LipSyncSoakOptions): Promise<LipSyncSoakResult> {
  const runtime = createNodeRuntime();
  const model = await loadLipSyncModel();
  const own = await loadLipSyncNetwork(runtime, model);
  const reference = await loadLipSyncNetwork(runtime, model, { executor: "runtime" });
  const spoken = await speakSentences(SENTENCES, VOICES);
  const random = noise(seed);
  const unit = () => (random(1)[0] + 1) / 2;
  const result: LipSyncSoakResult = { minutes, hops: 0, worst: 0, limit: LIMIT, hopsBeyond: 0 };
  const hops = Math.round((minutes * 60_000) / HOP_MS);
  try {
    while (result.hops < hops) {
      const audio = toSpeechAudio(spoken[Math.floor(unit() * spoken.length)]);
      const gain = 10 ** (2 * unit() - 1.5);
      const noiseGain = unit() < 0.3 ? 0.2 * unit() : 0;
      for (let at = 0; at + LIP_SYNC_HOP_SAMPLES <= audio.length && result.hops < hops; at += LIP_SYNC_HOP_SAMPLES) {
        const hiss = random(LIP_SYNC_HOP_SAMPLES);
        const hop = audio.slice(at, at + LIP_SYNC_HOP_SAMPLES).map((value, k) => gain * value + noiseGain * hiss[k]);
        const input = unit() < 0.01 ? hostile(unit) : { hop, meant: hop };
        const difference = largestDifference(await own.run(input.hop), await reference.run(input.meant));
        result.hops += 1;
        if (!(difference <= result.worst)) result.worst = difference;
        if (!(difference <= LIMIT)) result.hopsBeyond += 1;
        if (result.hops % 3000 === 0) report(`${(result.hops * HOP_MS) / 60_000} minutes: ${result.worst}`);
      }
    }
  } finally {
    await own.close();
    await reference.close();
  }
  return result;
}

/** A hop that no sender's int16 audio makes, and what the executor is to make of it. */
function hostile(unit: () => number): { hop: Float32Array; meant: Float32Array } {
  const hop = Float32Array.from({ length: LIP_SYNC_HOP_SAMPLES }, () => {
    const choice = unit();
    if (choice < 0.2) return Number.NaN;
    if (choice < 0.3) return Number.POSITIVE_INFINITY;
    return choice < 0.5 ? -1e30 : 2 * unit() - 1;
  });
  const meant = hop.map((value) => (Number.isNaN(value) ? 0 : Math.min(LOUDEST, Math.max(-LOUDEST, value))));
  return { hop, meant };
}
