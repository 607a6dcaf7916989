// `bench lip-sync`: cost and quality of lip sync, compared with open-source libraries in the same run.

import { type MouthShapes, shapeMouth } from "../../../cli/commands/hear/shape-mouth.ts";
import type { Progress } from "../../../cli/start/progress.ts";
import { StartError } from "../../../cli/start/start-error.ts";
import { HOP_MS, LIP_SYNC_HOP_SAMPLES, SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { LipSyncNetwork } from "../../../src/face/lip-sync/lip-sync-network.ts";
import { LipSyncStream } from "../../../src/face/lip-sync/lip-sync-stream.ts";
import { loadLipSyncNetwork } from "../../../src/face/lip-sync/load-lip-sync-network.ts";
import { groupOf, type MouthGroup } from "../../../src/face/lip-sync/mouth-groups.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { type EvaluationClip, secondsOf } from "./evaluation-clip.ts";
import { benchLipSyncCost } from "./lip-sync-cost.ts";
import { countMotion, motionMetrics } from "./mouth-motion.ts";
import {
  courseOf,
  type MouthScore,
  resampleCourse,
  type ScoredClip,
  scoreAtBestOffset,
  scoreMouth,
} from "./mouth-score.ts";
import { speakClips } from "./own-voice-clips.ts";
import { withPeers } from "./peers/install-peers.ts";
import { PEER_NAMES, PEERS } from "./peers/peer.ts";
import { runPeer } from "./peers/run-peer.ts";
import { readSplit } from "./read-split.ts";

/** Signal over noise in the noisy run. */
const NOISE_BELOW_DB = 15;

export interface LipSyncBenchOptions {
  /** JSON lines that list aligned recordings; default the built-in voices. */
  split?: string;
  /** An ffmpeg program that reads the recordings of `split`. Default: the bundled library. */
  ffmpegPath?: string;
  /** With the 8-bit weights that browsers use. */
  eightBit: boolean;
  /** Also fetch and run the other libraries. */
  peers: boolean;
  progress: Progress;
}

/** One system of the table. */
export interface LipSyncRow extends MouthScore {
  system: string;
  licence: string;
  input: string;
  /** Offset in ms at which it is scored: 0 for ours, the best one for each peer. */
  offsetMs: number;
  cpuMsPerS: number;
}

interface PeerRows {
  rows: LipSyncRow[];
  /** One message for each peer that failed. */
  failures: string[];
}

export type LipSyncMetrics = Awaited<ReturnType<typeof benchLipSync>>;

/** Throws StartError for a split that cannot be read and for peers that cannot be fetched. */
export async function benchLipSync({ split, ffmpegPath, eightBit, peers, progress }: LipSyncBenchOptions) {
  const clips = split ? await readSplit(split, ffmpegPath) : await speakClips();
  const seconds = clips.reduce((sum, clip) => sum + secondsOf(clip), 0);
  const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel(eightBit ? 8 : 16));
  try {
    progress.note(`lip sync ${Math.round(seconds)} s of speech`);
    const cpuMsPerS = (await measureCpuMs(network, clips)) / seconds;
    const mouths = await lipSyncAll(network, clips);
    const noisy = await lipSyncAll(network, clips.map(addNoise));
    const withText = await lipSyncAll(network, clips, true);
    const rows: LipSyncRow[] = [
      {
        system: eightBit ? "ours, 8 bits" : "ours",
        licence: "Apache-2.0",
        input: "streaming",
        offsetMs: 0,
        cpuMsPerS,
        ...scoreMouth(clips.map((clip, k) => toScored(clip, mouths[k].visemes.map(groupOf), HOP_MS))),
      },
    ];
    const peerRows = peers ? await benchPeers(clips, progress) : { rows: [], failures: [] };
    return {
      cost: await benchLipSyncCost(createNodeRuntime()),
      set: split ?? "built-in voices (synthetic)",
      clips: clips.length,
      seconds,
      languages: [...new Set(clips.map(({ language }) => language))],
      lookAheadMs: await measureLookAheadMs(network, clips[0]),
      systems: [...rows, ...peerRows.rows],
      failures: peerRows.failures,
      macroF1At15DbNoise: scoreMouth(clips.map((clip, k) => toScored(clip, noisy[k].visemes.map(groupOf), HOP_MS)))
        .macroF1,
      mouth: motionMetrics(clips.map((clip, k) => countMotion(mouths[k], clip.visemes))),
      mouthWithText: motionMetrics(clips.map((clip, k) => countMotion(withText[k], clip.visemes))),
    };
  } finally {
    await network.close();
  }
}

async function lipSyncAll(
  network: LipSyncNetwork,
  clips: readonly EvaluationClip[],
  withText = false,
): Promise<MouthShapes[]> {
  const mouths: MouthShapes[] = [];
  for (const { audio, visemes } of clips) {
    mouths.push(await shapeMouth(network, audio, { visemes: withText ? visemes : undefined }));
  }
  return mouths;
}

async function benchPeers(clips: readonly EvaluationClip[], progress: Progress): Promise<PeerRows> {
  const recordings = clips.map(toSpeechAudio);
  const seconds = clips.reduce((sum, clip) => sum + secondsOf(clip), 0);
  return withPeers(async (folder) => {
    const rows: LipSyncRow[] = [];
    const failures: string[] = [];
    for (const name of PEER_NAMES) {
      progress.note(`${name} runs on the same clips`);
      try {
        const { answers, cpuMs } = await runPeer(name, folder, recordings);
        const scored = clips.map((clip, k) => toScored(clip, answers[k].groups, answers[k].stepMs));
        const { licence, input, version } = PEERS[name];
        const score = scoreAtBestOffset(scored);
        rows.push({ system: `${name} ${version}`, licence, input, cpuMsPerS: cpuMs / seconds, ...score });
      } catch (error) {
        // A failing peer must not lose the metrics of the others.
        if (!(error instanceof StartError)) throw error;
        failures.push(error.message);
      }
    }
    return { rows, failures };
  });
}

function toScored(clip: EvaluationClip, groups: readonly MouthGroup[], stepMs: number): ScoredClip {
  const durationMs = secondsOf(clip) * 1000;
  return { reference: courseOf(clip.visemes, durationMs), detected: resampleCourse(groups, stepMs, durationMs) };
}

function toSpeechAudio({ audio }: EvaluationClip): Float32Array {
  const resampler = new Resampler(audio.sampleRateHz, SPEECH_SAMPLE_RATE_HZ);
  return Float32Array.from([...resampler.push(toFloatSamples(audio.samples)), ...resampler.flush()]);
}

/** White noise from a fixed sequence, 15 dB below the clip's mean power. */
function addNoise(clip: EvaluationClip): EvaluationClip {
  const samples = toFloatSamples(clip.audio.samples);
  const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
  // A uniform value in ±1 has the power 1/3.
  const size = Math.sqrt(3 * power) * 10 ** (-NOISE_BELOW_DB / 20);
  let state = 1;
  const noisy = samples.map((value) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.max(-1, Math.min(1, value + size * (state / 2 ** 31 - 1)));
  });
  return { ...clip, audio: { ...clip.audio, samples: toInt16Samples(noisy) } };
}

/** CPU time of lip sync for all clips as in a session, without mouth shaping and playout; peers are measured the same
 *  way. */
async function measureCpuMs(network: LipSyncNetwork, clips: readonly EvaluationClip[]): Promise<number> {
  const recordings = clips.map(toSpeechAudio);
  // Warm-up: compilation at first use is not measured.
  await visemesOf(network, recordings[0]);
  const before = process.cpuUsage();
  for (const audio of recordings) await visemesOf(network, audio);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Audio past the end of a frame's own 40 ms on which that frame depends, found by changing what comes later. */
async function measureLookAheadMs(network: LipSyncNetwork, clip: EvaluationClip): Promise<number> {
  const audio = toSpeechAudio(clip);
  const hops = Math.floor(audio.length / LIP_SYNC_HOP_SAMPLES);
  const changedHop = Math.floor(hops / 2);
  const changed = audio.map((value, i) => (i < changedHop * LIP_SYNC_HOP_SAMPLES ? value : -0.5 * value));
  const [before, after] = [await visemesOf(network, audio), await visemesOf(network, changed)];
  const first = before.findIndex((visemes, frame) => visemes.some((value, k) => value !== after[frame][k]));
  return (changedHop - first) * HOP_MS;
}

async function visemesOf(network: LipSyncNetwork, audio: Float32Array): Promise<Float32Array[]> {
  const stream = new LipSyncStream(network);
  stream.reset();
  const frames: Float32Array[] = [];
  for (let offset = 0; offset + LIP_SYNC_HOP_SAMPLES <= audio.length; offset += LIP_SYNC_HOP_SAMPLES) {
    const frame = await stream.push(audio.slice(offset, offset + LIP_SYNC_HOP_SAMPLES));
    if (frame) frames.push(frame.visemes.slice());
  }
  return frames;
}
