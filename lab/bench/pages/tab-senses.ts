// Notices in a tab when a face first moves and when it is first heard, also in frames, without knowing the page.
import type { Page } from "playwright-core";

/** Root mean square of a window from which audio is speech and not noise of a codec. */
const AUDIBLE_RMS = 0.01;
/** Difference of one brightness value, of 255, from which two pictures of a canvas differ: dithering is less. */
const MOVED_LUMA = 3;

interface Senses {
  /** Milliseconds since the epoch, or null. */
  movedAtMs: number | null;
  heardAtMs: number | null;
}

/** To be called before the page is opened: every document of the tab watches itself from its first moment. */
export async function giveSenses(page: Page): Promise<void> {
  // The loader of this program names functions by a helper that the tab lacks.
  await page.addInitScript(`globalThis.__name ??= (named) => named; (${watch})(${AUDIBLE_RMS}, ${MOVED_LUMA})`);
}

/** Forgets what was noticed. The next frame of a stream, or the next change of a canvas, counts again. */
export async function forgetSenses(page: Page): Promise<void> {
  for (const frame of page.frames()) await frame.evaluate("globalThis.senses?.forget()").catch(() => undefined);
}

/** When the first of the tab's documents noticed it, in ms since the epoch. Throws Error after `timeoutMs`. */
export async function untilNoticed(page: Page, sense: keyof Senses, timeoutMs: number): Promise<number> {
  const endMs = performance.now() + timeoutMs;
  while (performance.now() < endMs) {
    const times = await Promise.all(
      page.frames().map((frame) => frame.evaluate(`globalThis.senses?.${sense} ?? null`).catch(() => null)),
    );
    const noticed = times.filter((time): time is number => typeof time === "number");
    if (noticed.length > 0) return Math.min(...noticed);
    await page.waitForTimeout(20);
  }
  throw new Error(`${sense === "movedAtMs" ? "no face moved" : "nothing was heard"} within ${timeoutMs / 1000} s`);
}

/** Runs in the tab. */
function watch(audibleRms: number, movedLuma: number): void {
  const senses = { movedAtMs: null as number | null, heardAtMs: null as number | null, forget };
  (globalThis as unknown as { senses: typeof senses }).senses = senses;
  const size = 24;
  const looked = new Map<HTMLCanvasElement, Uint8ClampedArray>();
  const watched = new WeakSet<HTMLVideoElement>();
  const ears = new Map<MediaStream, AnalyserNode>();
  let hearing: AudioContext | undefined;
  const wave = new Float32Array(1024);
  const sketch = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true });

  function forget(): void {
    senses.movedAtMs = null;
    senses.heardAtMs = null;
    looked.clear();
  }
  function now(): number {
    return performance.timeOrigin + performance.now();
  }
  function lookAt(canvas: HTMLCanvasElement): void {
    if (!sketch || canvas.width === 0 || canvas.getClientRects().length === 0) return;
    sketch.drawImage(canvas, 0, 0, size, size);
    const { data } = sketch.getImageData(0, 0, size, size);
    const before = looked.get(canvas);
    looked.set(canvas, data);
    if (before?.some((value, i) => Math.abs(value - data[i]) >= movedLuma)) senses.movedAtMs ??= now();
  }
  function followVideo(video: HTMLVideoElement): void {
    if (watched.has(video)) return;
    watched.add(video);
    const onFrame = (): void => {
      if (video.getClientRects().length > 0) senses.movedAtMs ??= now();
      video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
  }
  function listenTo(stream: MediaStream): void {
    if (stream.getAudioTracks().length === 0) return;
    let ear = ears.get(stream);
    if (!ear) {
      hearing ??= new AudioContext();
      ear = hearing.createAnalyser();
      ear.fftSize = wave.length;
      hearing.createMediaStreamSource(stream).connect(ear);
      ears.set(stream, ear);
    }
    ear.getFloatTimeDomainData(wave);
    const rms = Math.sqrt(wave.reduce((sum, value) => sum + value * value, 0) / wave.length);
    if (rms >= audibleRms) senses.heardAtMs ??= now();
  }
  setInterval(() => {
    for (const canvas of document.querySelectorAll("canvas")) lookAt(canvas);
    for (const video of document.querySelectorAll("video")) followVideo(video);
    for (const { srcObject } of document.querySelectorAll("audio"))
      if (srcObject instanceof MediaStream) listenTo(srcObject);
  }, 20);
}
