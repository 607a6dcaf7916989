// Lip sync as a viewer sees it: the embed page in a real browser, its frames and its audio sampled in the tab while
// the avatar speaks.
import type { Page } from "playwright-core";
import { LOUDNESS_STEP_MS, measureLipSync } from "../../cli/demo/lip-sync.ts";
import { withChromium } from "./with-chromium.ts";

/** Browsers take seconds to settle how much audio they buffer; what comes before is not measured. */
const SETTLING_S = 8;
const MEASURED_S = 40;
const SENTENCE =
  "Papa bought five open boxes. Oh, my mother always heard a far piano, and we saw a big brown owl go by.";
const LINE_PERIOD_MS = 9_500;

interface Samples {
  frames: { atMs: number; luma: number[] }[];
  audio: { atMs: number; loudness: number }[];
}

/** Opens the demo page, types sentences, and finds the lag of the mouth behind the audio. Times are those at which the
 *  browser presents a frame and renders audio, on one clock of the tab. */
export async function benchTabSync(baseUrl: string) {
  return withChromium(
    async (browser) => {
      const page = await browser.newPage();
      await page.goto(`${baseUrl}/demo`);
      await page.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0, null, {
        timeout: 30_000,
      });
      await speakFor(page, SETTLING_S);
      // The loader of this program names functions by a helper that the tab lacks.
      await page.evaluate("globalThis.__name = (named) => named");
      await page.evaluate(startSampling, LOUDNESS_STEP_MS);
      await speakFor(page, MEASURED_S);
      const samples = await page.evaluate(() => (globalThis as unknown as { samples: Samples }).samples);
      const { skewMs, strength } = measureLipSync({
        frames: samples.frames.map(({ atMs, luma }) => ({ atMs, luma: Float32Array.from(luma) })),
        ...onGrid(samples.audio),
      });
      const spanS = (samples.frames.at(-1)!.atMs - samples.frames[0].atMs) / 1000;
      return {
        browser: "headless Chromium",
        shown_fps: Math.round(((samples.frames.length - 1) / spanS) * 100) / 100,
        lip_sync_skew_ms: skewMs,
        lip_sync_strength: strength,
      };
    },
    ["--autoplay-policy=no-user-gesture-required"],
  );
}

async function speakFor(page: Page, seconds: number): Promise<void> {
  const untilMs = performance.now() + seconds * 1000;
  while (performance.now() < untilMs) {
    const text = page.getByRole("textbox").first();
    await text.fill(SENTENCE);
    await text.press("Enter");
    await page.waitForTimeout(Math.min(LINE_PERIOD_MS, Math.max(0, untilMs - performance.now())));
  }
}

/** Runs in the tab. Brightness on a 32 × 32 grid of each presented frame, loudness of the audio every `stepMs`. */
function startSampling(stepMs: number): void {
  const samples: Samples = { frames: [], audio: [] };
  (globalThis as unknown as { samples: Samples }).samples = samples;
  const video = document.querySelector("video")!;
  const size = 32;
  const context2d = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true })!;
  const onFrame = (_now: number, { expectedDisplayTime }: VideoFrameCallbackMetadata): void => {
    context2d.drawImage(video, 0, 0, size, size);
    const { data } = context2d.getImageData(0, 0, size, size);
    const luma = Array.from(
      { length: size * size },
      (_, i) => 0.3 * data[4 * i] + 0.6 * data[4 * i + 1] + 0.1 * data[4 * i + 2],
    );
    samples.frames.push({ atMs: expectedDisplayTime, luma });
    video.requestVideoFrameCallback(onFrame);
  };
  video.requestVideoFrameCallback(onFrame);

  const element = [...document.querySelectorAll("audio")].find((audio) => audio.srcObject);
  const audioContext = new AudioContext();
  const analyser = audioContext.createAnalyser();
  analyser.fftSize = 512;
  audioContext.createMediaStreamSource(element!.srcObject as MediaStream).connect(analyser);
  const wave = new Float32Array(analyser.fftSize);
  setInterval(() => {
    analyser.getFloatTimeDomainData(wave);
    const loudness = Math.sqrt(wave.reduce((sum, value) => sum + value * value, 0) / wave.length);
    // The window ends now; its middle is when it played, before the way to the loudspeaker.
    samples.audio.push({ atMs: performance.now() - (wave.length / 2 / audioContext.sampleRate) * 1000, loudness });
  }, stepMs);
}

/** Loudness on an even grid: timers of a tab are not exact. */
function onGrid(audio: Samples["audio"]): { loudness: number[]; audioAtMs: number } {
  const audioAtMs = audio[0].atMs;
  const steps = Math.floor((audio.at(-1)!.atMs - audioAtMs) / LOUDNESS_STEP_MS);
  let next = 0;
  const loudness = Array.from({ length: steps }, (_, step) => {
    const atMs = audioAtMs + step * LOUDNESS_STEP_MS;
    while (next + 1 < audio.length && audio[next + 1].atMs <= atMs) next++;
    return audio[next].loudness;
  });
  return { loudness, audioAtMs };
}
