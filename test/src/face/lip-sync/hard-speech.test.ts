import t from "tap";
import { shapeMouth } from "../../../../cli/commands/hear/shape-mouth.ts";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { loadLipSyncNetwork } from "../../../../src/face/lip-sync/load-lip-sync-network.ts";
import { toInt16Samples } from "../../../../src/signal/audio/samples.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { speakSentences, toSpeechAudio } from "../../../helpers/speech/spoken.ts";

const JAW = FACE_PARAMETER_INDEX.jaw;
const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
t.teardown(() => network.close());
const [spoken] = await speakSentences(["My mother and Bob were walking along the river."], ["F2"]);
const plain = toSpeechAudio(spoken);

/** Keeps 300 to 3400 Hz, roughly as a telephone does: two first-order filters each way. */
function telephone(audio: Float32Array): Float32Array {
  let output: Float32Array = audio;
  for (const pass of [0, 1]) {
    let [low, high] = [0, 0];
    output = output.map((value) => {
      low += 0.74 * (value - low);
      high += (pass === 0 ? 0.11 : 0.09) * (low - high);
      return low - high;
    });
  }
  return output;
}

/** The same envelope on noise: speech without a voice. */
function whisper(audio: Float32Array): Float32Array {
  let state = 99;
  let previous = 0;
  return audio.map((value) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The difference keeps the formants of the voice and loses its pitch in the noise.
    const bright = value - 0.95 * previous;
    previous = value;
    return 0.6 * bright + 0.5 * Math.abs(bright) * (state / 2 ** 31 - 1);
  });
}

function resampled(audio: Float32Array, factor: number): Float32Array {
  return Float32Array.from({ length: Math.floor(audio.length / factor) }, (_, i) => {
    const at = i * factor;
    const before = Math.floor(at);
    return audio[before] + (at - before) * ((audio[before + 1] ?? 0) - audio[before]);
  });
}

const KINDS: Record<string, Float32Array> = {
  shouted: plain.map((value) => Math.max(-1, Math.min(1, 6 * value))),
  soft: plain.map((value) => 0.08 * value),
  whispered: whisper(plain),
  "on the telephone": telephone(plain),
  "a child's": resampled(plain, 1.3),
  hurried: resampled(plain, 1.15),
};

t.test("difficult speech still opens and closes the mouth, and all parameters stay in range", async (t) => {
  for (const [name, audio] of Object.entries(KINDS)) {
    const mouth = await shapeMouth(network, { samples: toInt16Samples(audio), sampleRateHz: 16_000 });
    const jaw = mouth.parameters.map((row) => row[JAW]);
    const spoken = mouth.closed.slice(3, -8);
    const open = spoken.filter((value) => value <= 0.5).length / spoken.length;
    t.ok(open > 0.3 && open < 0.97, `${name}: open in ${(100 * open).toFixed(0)} of 100 frames`);
    t.ok(Math.max(...jaw) > 0.2 && Math.max(...jaw) < 1, `${name}: widest ${Math.max(...jaw).toFixed(2)}`);
    t.ok(
      mouth.parameters.flat().every((value) => Math.abs(value) <= 1.2),
      `${name}: nothing out of range`,
    );
  }
});
