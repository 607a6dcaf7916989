// Runs an echo check and the speech detector over a scene, and compares with the person alone.
import { SPEECH_WINDOW_SAMPLES, SpeechDetector } from "../../../agent-worker/listening/speech-detector.ts";
import { EchoCheck } from "../../../src/speech/echo/echo-check.ts";
import type { EchoScene } from "./echo-scene.ts";

/** 160 ms of speech cut in. */
const WINDOWS = 5;
const SPEECH = 0.5;
/** The detector takes two seconds at most. */
const BATCH_WINDOWS = 40;
/** A person may still be heard this long after their last word. */
const LATEST_SAMPLES = 16_000;
const BEGIN_MS = 5_000;
/** The engine is ahead of its queue, and the network delays the microphone. */
const AHEAD_SAMPLES = 1_600;
const TRANSIT_MS = 20;
const PLAYED_SAMPLES = 640;

export interface PlayedScene {
  /** Times at which speech was found where no person spoke, s. */
  falseCutInsS: number[];
  /** By cut-in: how much later it was found than without echo, ms; Infinity if it was not. */
  latenessMs: number[];
  /** Share of a core. */
  cpuShare: number;
}

/** `blockSamples`: of the microphone's blocks. */
export async function playScene(scene: EchoScene, blockSamples = 320): Promise<PlayedScene> {
  const began = process.cpuUsage();
  const cleaned = checkEcho(scene, blockSamples);
  const { user, system } = process.cpuUsage(began);
  const probabilities = await detect(cleaned);
  const alone = scene.cutIns.length > 0 ? await detect(scene.person) : [];
  const latenessMs: number[] = [];
  for (const { start, end } of scene.cutIns) {
    const meant = cutInsOf(alone, start, end)[0];
    if (meant !== undefined)
      latenessMs.push(((cutInsOf(probabilities, start, end)[0] ?? Number.POSITIVE_INFINITY) - meant) / 16);
  }
  const falseCutInsS = cutInsOf(probabilities, 0, cleaned.length)
    .filter((at) => !scene.cutIns.some(({ start, end }) => at >= start && at <= end + LATEST_SAMPLES))
    .map((at) => at / 16_000);
  return { falseCutInsS, latenessMs, cpuShare: (user + system) / 1e6 / (cleaned.length / 16_000) };
}

/** The microphone's audio as the listener gets it. */
function checkEcho({ played, microphone }: EchoScene, blockSamples: number): Int16Array {
  const check = new EchoCheck();
  const cleaned = new Int16Array(microphone.length);
  for (let at = 0, queued = 0; at + blockSamples <= microphone.length; at += blockSamples) {
    for (; queued < at + AHEAD_SAMPLES && queued < played.length; queued += PLAYED_SAMPLES) {
      check.played(played.subarray(queued, queued + PLAYED_SAMPLES), BEGIN_MS + queued / 16);
    }
    const block = microphone.subarray(at, at + blockSamples);
    cleaned.set(check.pushAudio(block, BEGIN_MS + at / 16 + TRANSIT_MS).samples, at);
  }
  return cleaned;
}

/** Probability of speech by window. */
export async function detect(samples: Int16Array): Promise<number[]> {
  const probabilities: number[] = [];
  let wanted = 0;
  let done = (): void => undefined;
  const detector = new SpeechDetector({
    onWindow({ probability }) {
      if (probabilities.push(probability) === wanted) done();
    },
  });
  const batch = BATCH_WINDOWS * SPEECH_WINDOW_SAMPLES;
  for (let at = 0; at + SPEECH_WINDOW_SAMPLES <= samples.length; at += batch) {
    wanted = Math.floor(Math.min(samples.length, at + batch) / SPEECH_WINDOW_SAMPLES);
    const all = new Promise<void>((resolve) => (done = resolve));
    detector.push(samples.subarray(at, at + batch));
    await all;
  }
  detector.close();
  return probabilities;
}

/** Samples at which 160 ms of speech are complete. */
function cutInsOf(probabilities: readonly number[], from: number, to: number): number[] {
  const found: number[] = [];
  let windows = 0;
  for (let i = Math.floor(from / SPEECH_WINDOW_SAMPLES); i < probabilities.length; i++) {
    if (i * SPEECH_WINDOW_SAMPLES > to + LATEST_SAMPLES) break;
    windows = probabilities[i] >= SPEECH ? windows + 1 : 0;
    if (windows === WINDOWS) found.push((i + 1) * SPEECH_WINDOW_SAMPLES);
  }
  return found;
}
