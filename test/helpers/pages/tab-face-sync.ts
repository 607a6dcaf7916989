// A/V offset of a face that is rendered in a tab: its frames as they are shown, its audio as the sound card plays it.
import type { Page } from "playwright-core";
import { LOUDNESS_STEP_MS, measureLipSync } from "../../../cli/demo/lip-sync.ts";

/** Offsets are measured in windows of this length, one beginning each second: comparing the mouth with the audio takes
 *  several seconds of speech. */
const WINDOW_MS = 6000;
const WINDOW_STEP_MS = 1000;
/** Windows with fewer frames are left out. */
const LEAST_FPS = 20;

interface Recorded {
  frames: { atMs: number; luma: number[] }[];
  /** Loudness of each `stepMs` of audio, and when it leaves the loudspeaker, on the clock of the frames. */
  audio: { atMs: number; loudness: number }[];
}

export interface TabFaceSync {
  /** Frames drawn a second while it spoke. */
  fps: number;
  /** Video time − audio time of each window that had enough frames, ms: positive when the mouth is late. */
  offsetsMs: number[];
}

/** An init script for a page: records what a face draws and plays, from the first audio on. */
export const RECORD_TAB_FACE = `(${record.toString()})(${LOUDNESS_STEP_MS})`;

/** Offsets of what was recorded. Throws RangeError for less than a window of speech. */
export async function measureTabFace(page: Page): Promise<TabFaceSync> {
  const { frames, audio } = (await page.evaluate("recordedFace")) as Recorded;
  const [firstMs, lastMs] = [audio[0]?.atMs ?? 0, audio.at(-1)?.atMs ?? 0];
  if (lastMs - firstMs < WINDOW_MS) throw new RangeError("less than a window of speech");
  const offsetsMs: number[] = [];
  for (let fromMs = firstMs; fromMs + WINDOW_MS <= lastMs; fromMs += WINDOW_STEP_MS) {
    const within = frames.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + WINDOW_MS);
    // On a machine that is too busy the face stands still for moments, and there is nothing to compare.
    if (within.length < (LEAST_FPS * WINDOW_MS) / 1000) continue;
    const { skewMs } = measureLipSync({
      frames: within.map(({ atMs, luma }) => ({ atMs, luma: Float32Array.from(luma) })),
      loudness: onGrid(audio, firstMs, lastMs),
      audioAtMs: firstMs,
    });
    offsetsMs.push(skewMs);
  }
  const spoken = frames.filter(({ atMs }) => atMs >= firstMs && atMs < lastMs);
  return { fps: (1000 * spoken.length) / (lastMs - firstMs), offsetsMs };
}

/** Loudness at even steps; silence between the pieces. */
function onGrid(audio: Recorded["audio"], firstMs: number, lastMs: number): number[] {
  const loudness = new Array<number>(Math.ceil((lastMs - firstMs) / LOUDNESS_STEP_MS) + 1).fill(0);
  for (const piece of audio) loudness[Math.round((piece.atMs - firstMs) / LOUDNESS_STEP_MS)] = piece.loudness;
  return loudness;
}

/** Runs in the tab, before its scripts; so it stands alone. */
function record(stepMs: number): void {
  const recorded: Recorded = { frames: [], audio: [] };
  Object.assign(globalThis, { recordedFace: recorded });
  const size = 32;
  const small = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true })!;
  const { putImageData } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.putImageData = function (this: CanvasRenderingContext2D, ...drawn: unknown[]) {
    Reflect.apply(putImageData, this, drawn);
    if (recorded.audio.length === 0) return;
    small.drawImage(this.canvas, 0, 0, size, size);
    const { data } = small.getImageData(0, 0, size, size);
    const luma: number[] = [];
    for (let i = 0; i < data.length; i += 4) luma.push(0.3 * data[i] + 0.6 * data[i + 1] + 0.1 * data[i + 2]);
    recorded.frames.push({ atMs: performance.now(), luma });
  };
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (this: AudioBufferSourceNode, atS = 0) {
    const context = this.context as AudioContext;
    const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
    const samples = this.buffer!.getChannelData(0);
    const length = (context.sampleRate * stepMs) / 1000;
    for (let from = 0; from < samples.length; from += length) {
      const piece = samples.subarray(from, from + length);
      const loudness = Math.sqrt(piece.reduce((sum, value) => sum + value * value, 0) / piece.length);
      const atMs = performanceTime + 1000 * (atS + from / context.sampleRate - contextTime);
      recorded.audio.push({ atMs, loudness });
    }
    Reflect.apply(start, this, [atS]);
  };
}
