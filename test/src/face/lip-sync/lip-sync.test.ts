// The A/V offset of the mouth without room, clock or transport: the same measure as `npm run bench -- session`, taken
// from the jaw parameter.
import t from "tap";
import { shapeMouth } from "../../../../cli/commands/hear/shape-mouth.ts";
import { LOUDNESS_STEP_MS, measureLipSync } from "../../../../cli/demo/lip-sync.ts";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { loadLipSyncNetwork } from "../../../../src/face/lip-sync/load-lip-sync-network.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { speakSentences } from "../../../helpers/speech/spoken.ts";

const SENTENCES = [
  "The weather was fine, so we walked along the river and talked about music.",
  "Above the hills a small white cloud was moving slowly to the west.",
];
/** Silence around each sentence, so that one does not run into the other. */
const PAUSE_MS = 400;

function loudnessOf(samples: Int16Array, sampleRateHz: number): number[] {
  const stepSamples = (sampleRateHz * LOUDNESS_STEP_MS) / 1000;
  return Array.from({ length: Math.floor(samples.length / stepSamples) }, (_, step) => {
    const part = samples.subarray(Math.round(step * stepSamples), Math.round((step + 1) * stepSamples));
    return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length);
  });
}

t.test("the jaw follows the audio within one video frame, with and without text", async (t) => {
  const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
  t.teardown(() => network.close());
  const spoken = await speakSentences(SENTENCES, ["M1", "F2"]);
  for (const withText of [false, true]) {
    const frames: { atMs: number; luma: Float32Array }[] = [];
    const loudness: number[] = [];
    for (const { samples, sampleRateHz, visemes } of spoken) {
      const pauseSamples = (sampleRateHz * PAUSE_MS) / 1000;
      const hopSamples = (sampleRateHz * HOP_MS) / 1000;
      const hops = Math.ceil(samples.length / hopSamples) + (2 * PAUSE_MS) / HOP_MS;
      const padded = new Int16Array(Math.round(hops * hopSamples));
      padded.set(samples, Math.round(pauseSamples));
      const later = visemes.map(({ viseme, startMs, endMs }) => ({
        viseme,
        startMs: startMs + PAUSE_MS,
        endMs: endMs + PAUSE_MS,
      }));
      const audio = { samples: padded, sampleRateHz };
      const { parameters } = await shapeMouth(network, audio, { visemes: withText ? later : undefined });
      for (const row of parameters) {
        const luma = new Float32Array([row[FACE_PARAMETER_INDEX.jaw]]);
        frames.push({ atMs: frames.length * HOP_MS, luma });
      }
      loudness.push(...loudnessOf(padded, sampleRateHz));
    }
    const { skewMs, strength } = measureLipSync({ frames, loudness, audioAtMs: 0 });
    t.ok(Math.abs(skewMs) <= HOP_MS, `${withText ? "text" : "audio"}: A/V offset ${skewMs} ms`);
    t.ok(strength >= 0.5, `${withText ? "text" : "audio"}: strength ${strength}`);
  }
});
