// How far mouth and voice are apart in a tab that shows an avatar of a room, on a canvas or as video.
import type { Page } from "playwright-core";
import { LOUDNESS_STEP_MS, measureLipSync } from "../../../cli/demo/lip-sync.ts";

/** Comparing the mouth with the audio takes several seconds of speech. */
const WINDOW_MS = 6_000;
const WINDOW_STEP_MS = 1_000;
/** Windows with less speech are left out: share of loud steps, and what is loud. */
const LEAST_SPEECH = 0.4;
const LOUD = 0.01;
/** What viewers take for together. */
const [EARLIEST_MS, LATEST_MS] = [-125, 45];

interface Samples {
  frames: { atMs: number; luma: number[] }[];
  audio: { atMs: number; loudness: number }[];
  /** Until audio is heard after the samples of `audio`, ms. */
  outputMs: number;
}

export interface TabOffsets {
  /** Pictures that differ, a second. */
  fps: number;
  /** Video time − audio time, ms: positive when the mouth is late. */
  offsetsMs: number[];
  /** Share of the offsets between −125 and +45 ms. */
  within: number;
}

/** Samples the face and the audio of the page while `speak` runs. */
export async function measureTabOffsets(page: Page, speak: () => Promise<void>): Promise<TabOffsets> {
  // The loader of this program names functions by a helper that the tab lacks.
  await page.evaluate("globalThis.__name = (named) => named");
  await page.evaluate(startSampling, LOUDNESS_STEP_MS);
  await speak();
  const { frames, audio, outputMs } = (await page.evaluate("stopSampling()")) as Samples;
  const [firstMs, lastMs] = [audio[0].atMs, audio.at(-1)!.atMs];
  const loudness = onGrid(audio, firstMs, lastMs);
  const offsetsMs: number[] = [];
  for (let fromMs = firstMs; fromMs + WINDOW_MS <= lastMs; fromMs += WINDOW_STEP_MS) {
    const first = Math.round((fromMs - firstMs) / LOUDNESS_STEP_MS);
    const heard = loudness.slice(first, first + WINDOW_MS / LOUDNESS_STEP_MS);
    if (heard.filter((one) => one > LOUD).length < LEAST_SPEECH * heard.length) continue;
    const seen = frames.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + WINDOW_MS);
    if (seen.length < 0.7 * 25 * (WINDOW_MS / 1000)) continue;
    const { skewMs } = measureLipSync({
      frames: seen.map(({ atMs, luma }) => ({ atMs, luma: Float32Array.from(luma) })),
      loudness,
      audioAtMs: firstMs + outputMs,
    });
    offsetsMs.push(Math.round(skewMs));
  }
  const within = offsetsMs.filter((offset) => offset >= EARLIEST_MS && offset <= LATEST_MS).length / offsetsMs.length;
  return { fps: ((frames.length - 1) * 1000) / (frames.at(-1)!.atMs - frames[0].atMs), offsetsMs, within };
}

/** Loudness at even steps: timers of a tab are not exact. */
function onGrid(audio: Samples["audio"], firstMs: number, lastMs: number): number[] {
  let next = 0;
  return Array.from({ length: Math.floor((lastMs - firstMs) / LOUDNESS_STEP_MS) }, (_, step) => {
    while (next + 1 < audio.length && audio[next + 1].atMs <= firstMs + step * LOUDNESS_STEP_MS) next += 1;
    return audio[next].loudness;
  });
}

/** Runs in the tab. */
function startSampling(stepMs: number): void {
  const samples: Samples = { frames: [], audio: [], outputMs: 0 };
  const face = document.querySelector<HTMLCanvasElement | HTMLVideoElement>(".stage-face")!;
  const size = 32;
  const small = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true })!;
  let isOn = true;
  let before = "";
  const look = (nowMs: number): void => {
    if (!isOn) return;
    small.drawImage(face, 0, 0, size, size);
    const { data } = small.getImageData(0, 0, size, size);
    const luma = Array.from(
      { length: size * size },
      (_, i) => 0.3 * data[4 * i] + 0.6 * data[4 * i + 1] + 0.1 * data[4 * i + 2],
    );
    const now = luma.join();
    // Presented with the next refresh of the screen.
    if (now !== before) samples.frames.push({ atMs: nowMs + 1000 / 60, luma });
    before = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  const element = document.querySelector("audio")!;
  context.createMediaStreamSource(element.srcObject as MediaStream).connect(analyser);
  const wave = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(wave);
    const loudness = Math.sqrt(wave.reduce((sum, value) => sum + value * value, 0) / wave.length);
    // The window ends now; its middle is when it was played, before the way to the loudspeaker.
    samples.audio.push({ atMs: performance.now() - (wave.length / 2 / context.sampleRate) * 1000, loudness });
  }, stepMs);
  Object.assign(globalThis, {
    stopSampling: () => {
      isOn = false;
      clearInterval(timer);
      samples.outputMs = 1000 * (context.outputLatency || context.baseLatency || 0);
      return samples;
    },
  });
}
