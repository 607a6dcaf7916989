// wawa-lipsync: rules over a spectrum. It asks the browser for the spectrum and the time, so both are given to it here,
// by the audio's own clock.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { groupOf, type MouthGroup } from "../../../../src/face/lip-sync/mouth-groups.ts";
import { Resampler } from "../../../../src/signal/audio/resampler.ts";
import type { Viseme } from "../../../../src/speech/visemes/visemes.ts";
import { PEERS, type PeerLipSync } from "./peer.ts";
import { SpectrumAnalyser } from "./spectrum-analyser.ts";

interface Lipsync {
  viseme: string;
  processAudio(): void;
}
interface WawaModule {
  Lipsync: new () => Lipsync;
}

/** What a browser plays at, and how often a page asks. */
const CONTEXT_RATE_HZ = 48_000;
const STEP_MS = 1000 / 60;

/** Rejects with Error if the package is not the one expected. Replaces this process's `window` and `performance`: for a
 *  process of its own. */
export async function loadWawaLipsync(folder: string): Promise<PeerLipSync> {
  let analyser = new SpectrumAnalyser();
  let nowMs = 0;
  class AudioContext {
    readonly sampleRate = CONTEXT_RATE_HZ;
    createAnalyser(): SpectrumAnalyser {
      analyser = new SpectrumAnalyser();
      return analyser;
    }
  }
  Object.assign(globalThis, { window: { AudioContext } });
  Object.defineProperty(globalThis, "performance", { value: { now: () => nowMs }, configurable: true });
  const address = pathToFileURL(join(folder, PEERS["wawa-lipsync"].package, "dist/wawa-lipsync.es.js")).href;
  const { Lipsync } = (await import(address)) as WawaModule;
  return async (audio) => {
    const resampler = new Resampler(16_000, CONTEXT_RATE_HZ);
    const played = Float32Array.from([...resampler.push(audio), ...resampler.flush()]);
    const lipsync = new Lipsync();
    const groups: MouthGroup[] = [];
    const durationMs = (played.length * 1000) / CONTEXT_RATE_HZ;
    for (let step = 1; (step - 1) * STEP_MS < durationMs; step++) {
      nowMs = step * STEP_MS;
      analyser.analyse(played, Math.round((nowMs * CONTEXT_RATE_HZ) / 1000));
      lipsync.processAudio();
      groups.push(groupOf(lipsync.viseme.replace("viseme_", "") as Viseme));
    }
    return { groups, stepMs: STEP_MS };
  };
}
