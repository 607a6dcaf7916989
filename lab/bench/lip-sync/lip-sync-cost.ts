// CPU time per frame of lip sync and of the audio beside it: our executor beside ONNX Runtime, back to back and between
// other work.
import { HOP_MS, LIP_SYNC_HOP_SAMPLES, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { SegmentSequencer } from "../../../src/face/engine/segment-sequencer.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { LipSyncNetwork } from "../../../src/face/lip-sync/lip-sync-network.ts";
import { LipSyncStream } from "../../../src/face/lip-sync/lip-sync-stream.ts";
import { loadLipSyncNetwork } from "../../../src/face/lip-sync/load-lip-sync-network.ts";
import { loadResampleProgram } from "../../../src/signal/audio/executor/resample-program.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { VISEME_COUNT } from "../../../src/speech/visemes/visemes.ts";
import { percentile } from "../percentile.ts";
import { round } from "../round.ts";
import { SENT_SAMPLE_RATE_HZ, speakFor } from "../speech.ts";

const SPEECH_S = 20;
/** The second rate is that of most speech synthesizers. */
const SENDER_RATES_HZ = [SENT_SAMPLE_RATE_HZ, 24_000];
/** Other work reads and writes this much between two frames: more than a core's own cache holds. */
const OTHER_WORK_BYTES = 8 * 1024 * 1024;
const CACHE_LINE_BYTES = 64;
/** Frames before compilation has settled. */
const WARM_UP_FRAMES = 50;

interface Cost {
  /** Median of single frames. */
  cpu_ms: number;
  /** Tenth percentile. */
  least_disturbed_ms: number;
}

/** One thing to measure: a step per frame. */
interface Candidate {
  name: string;
  step(frame: number): Promise<void>;
  /** Work between two frames, not measured. */
  hasOtherWork: boolean;
  cpuMs: number[];
}

/** CPU ms per frame. Candidates alternate, so that other load on the machine affects all alike. */
export async function benchLipSyncCost(runtime: InferenceRuntime) {
  const speech = concatenate(await speakFor(SPEECH_S));
  const model = await loadLipSyncModel();
  const networks = {
    own: await loadLipSyncNetwork(runtime, model),
    onnx_runtime: await loadLipSyncNetwork(runtime, model, { executor: "runtime" }),
  };
  const hops = toFloatSamples(speech);
  const candidates: Candidate[] = [];
  for (const [name, network] of Object.entries(networks)) {
    for (const hasOtherWork of [false, true]) {
      const step = async (frame: number) => {
        await network.run(hops.subarray(frame * LIP_SYNC_HOP_SAMPLES, (frame + 1) * LIP_SYNC_HOP_SAMPLES));
      };
      candidates.push({ name: hasOtherWork ? `${name} between other work` : name, step, hasOtherWork, cpuMs: [] });
    }
  }
  for (const rateHz of SENDER_RATES_HZ) candidates.push(await audioCandidate(runtime, speech, rateHz));
  const work = new Uint8Array(OTHER_WORK_BYTES);
  const frames = Math.floor(hops.length / LIP_SYNC_HOP_SAMPLES);
  try {
    for (let frame = 0; frame < frames; frame++) {
      for (const { step, hasOtherWork, cpuMs } of candidates) {
        if (hasOtherWork) for (let i = 0; i < work.length; i += CACHE_LINE_BYTES) work[i] += 1;
        const before = process.cpuUsage();
        await step(frame);
        const { user, system } = process.cpuUsage(before);
        if (frame >= WARM_UP_FRAMES) cpuMs.push((user + system) / 1000);
      }
    }
  } finally {
    for (const network of Object.values(networks)) await network.close();
  }
  const costs: Record<string, Cost> = {};
  for (const { name, cpuMs } of candidates) {
    costs[name] = { cpu_ms: round(percentile(cpuMs, 0.5)), least_disturbed_ms: round(percentile(cpuMs, 0.1)) };
  }
  return { frames: frames - WARM_UP_FRAMES, goal_ms: 0.6, audio_goal_ms: 1, costs };
}

/** Everything that the engine does with audio besides the network, between other work: queues, conversions, both
 *  resamplers, the speech gate, the decoder and the choice of what plays. */
async function audioCandidate(runtime: InferenceRuntime, speech: Int16Array, rateHz: number): Promise<Candidate> {
  const resampler = new Resampler(SENT_SAMPLE_RATE_HZ, rateHz);
  const audio = toInt16Samples(Float32Array.from([...resampler.push(toFloatSamples(speech)), ...resampler.flush()]));
  const sequencer = new SegmentSequencer({
    stream: new LipSyncStream(silentNetwork()),
    outputRateHz: PLAYOUT_SAMPLE_RATE_HZ,
    audioLeadTicks: 1,
    resampling: await loadResampleProgram(runtime),
  });
  const segment = sequencer.open("cost", rateHz);
  const chunk = (rateHz * HOP_MS) / 1000;
  const output = new Int16Array((PLAYOUT_SAMPLE_RATE_HZ * HOP_MS) / 1000);
  const step = async (frame: number) => {
    sequencer.push(segment, audio.subarray(frame * chunk, (frame + 1) * chunk));
    await sequencer.computeAhead();
    sequencer.step(output);
  };
  return { name: `audio from ${rateHz / 1000} kHz between other work`, step, hasOtherWork: true, cpuMs: [] };
}

/** A network that costs nothing. */
function silentNetwork(): LipSyncNetwork {
  const output = { visemes: new Float32Array(2 * VISEME_COUNT).fill(1 / VISEME_COUNT), closures: new Float32Array(2) };
  return { run: () => output, reset: () => undefined, close: async () => undefined };
}

function concatenate(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
