// Measures the A/V offset of received media: the lag at which the mouth correlates best with the audio.
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";

/** Brightness of a frame on a coarse grid: float32 [GRID × GRID], row by row, 0 to 255. */
export type CoarseLuma = Float32Array;

export interface LipSyncInput {
  frames: readonly { atMs: number; luma: CoarseLuma }[];
  /** Loudness (root of the mean square) of each 10 ms of audio, the first at `audioAtMs`. */
  loudness: readonly number[];
  audioAtMs: number;
}

export interface LipSync {
  /** A/V offset in ms: positive when the mouth is late. */
  skewMs: number;
  /** How well the video follows the audio at that lag: correlation of loudness with the opening of the mouth, 0 to 1.
   *  */
  strength: number;
}

export const LOUDNESS_STEP_MS = 10;
const GRID = 32;
const LARGEST_LAG_MS = 300;
/** Slower changes are head motion and lighting, not speech. */
const SLOWEST_CHANGE_FRAMES = 20;

/** Means of brightness over a 32 × 32 grid. */
export function toCoarseLuma({ data, widthPx, heightPx }: I420Frame): CoarseLuma {
  const sums = new Float32Array(GRID * GRID);
  const counts = new Float32Array(GRID * GRID);
  // Every other pixel each way is plenty for a mean over 16 × 16.
  for (let y = 0; y < heightPx; y += 2) {
    const row = Math.floor((y * GRID) / heightPx) * GRID;
    for (let x = 0; x < widthPx; x += 2) {
      const cell = row + Math.floor((x * GRID) / widthPx);
      sums[cell] += data[y * widthPx + x];
      counts[cell] += 1;
    }
  }
  for (let cell = 0; cell < sums.length; cell++) sums[cell] /= Math.max(1, counts[cell]);
  return sums;
}

/** Finds the lag. Needs several seconds of speech with pauses. Throws RangeError with less than a second of frames. */
export function measureLipSync(input: LipSyncInput): LipSync {
  const { frames, audioAtMs } = input;
  if (frames.length < 25) throw new RangeError("less than a second of frames");
  const cells = removeSlowChange(frames.map(({ luma }) => luma));
  // Mouths open for quiet vowels too: the square root compresses levels, as hearing does.
  const loudness = smooth(input.loudness, 4).map(Math.sqrt);
  const heardAtLags: Float32Array[][] = [];
  for (let lag = -LARGEST_LAG_MS; lag <= LARGEST_LAG_MS; lag += LOUDNESS_STEP_MS) {
    // A frame stands for the 40 ms from its arrival on, and is compared with the audio around its middle.
    const heard = frames.map(({ atMs }) => {
      const index = Math.round((atMs + 20 - lag - audioAtMs) / LOUDNESS_STEP_MS);
      return new Float32Array([loudness[index] ?? 0]);
    });
    heardAtLags.push(removeSlowChange(heard));
  }
  const mouth = mouthSignal(cells, heardAtLags);
  const scores = heardAtLags.map((heard) => correlation(mouth, heard));
  const best = scores.indexOf(Math.max(...scores));
  return {
    skewMs: Math.round(best * LOUDNESS_STEP_MS - LARGEST_LAG_MS + peakOffset(scores, best) * LOUDNESS_STEP_MS),
    strength: Math.round(scores[best] * 100) / 100,
  };
}

/** Mouth opening in each frame, on an arbitrary scale: the grid cells, weighted by their correlation with the audio at
 *  the best common lag. Cells that move with the head or the lids get almost no weight. */
function mouthSignal(cells: readonly Float32Array[], heardAtLags: readonly Float32Array[][]): Float32Array[] {
  let weights = new Float64Array(cells[0].length);
  let largest = -1;
  for (const heard of heardAtLags) {
    const covariance = covarianceOfCells(cells, heard);
    const power = covariance.reduce((sum, value) => sum + value * value, 0);
    if (power > largest) [largest, weights] = [power, covariance];
  }
  return cells.map((frame) => {
    return new Float32Array([frame.reduce((sum, value, cell) => sum + value * weights[cell], 0)]);
  });
}

function covarianceOfCells(cells: readonly Float32Array[], heard: readonly Float32Array[]): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(cells[0].length);
  for (const [index, frame] of cells.entries()) {
    for (let cell = 0; cell < frame.length; cell++) sums[cell] += frame[cell] * heard[index][0];
  }
  return sums;
}

/** Correlation of two series of one value each, both without their means, −1 to 1. */
function correlation(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  const dot = (x: readonly Float32Array[], y: readonly Float32Array[]) => {
    return x.reduce((sum, value, index) => sum + value[0] * y[index][0], 0);
  };
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b) + Number.EPSILON);
}

/** Each value minus the mean of its neighbourhood in time. */
function removeSlowChange(series: readonly Float32Array[]): Float32Array[] {
  return series.map((value, index) => {
    const from = Math.max(0, index - SLOWEST_CHANGE_FRAMES);
    const to = Math.min(series.length, index + SLOWEST_CHANGE_FRAMES + 1);
    const result = value.slice();
    for (let other = from; other < to; other++) {
      for (let cell = 0; cell < result.length; cell++) result[cell] -= series[other][cell] / (to - from);
    }
    return result;
  });
}

/** Means of `steps` values around the beginning of each. */
function smooth(values: readonly number[], steps: number): number[] {
  return values.map((_, index) => {
    const near = values.slice(Math.max(0, index - steps / 2), index + steps / 2);
    return near.reduce((sum, value) => sum + value, 0) / steps;
  });
}

/** Sub-step position of a peak between its neighbours, −0.5 to 0.5 steps (parabola through three points). */
function peakOffset(values: readonly number[], peak: number): number {
  const [before, at, after] = [values[peak - 1], values[peak], values[peak + 1]];
  if (before === undefined || after === undefined) return 0;
  const curvature = before - 2 * at + after;
  return curvature === 0 ? 0 : (before - after) / (2 * curvature);
}
