// Audio latency from sender to listener, measured by matching received with sent audio.

import type { HeardAudio } from "../../cli/demo/avatar-listener.ts";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { SENT_SAMPLE_RATE_HZ } from "./speech.ts";
import type { SentPiece } from "./speech-sender.ts";

/** Matching needs no frequencies above 4 kHz. */
export const MATCH_RATE_HZ = 8000;
/** Half a second. */
export const WINDOW_SAMPLES = MATCH_RATE_HZ / 2;
const LONGEST_DELAY_MS = 5000;
/** The delay changes slowly, so it is searched this close to the previous one first. */
const NEAR_MS = 250;
/** Quieter windows are pauses, and fit anywhere. */
const LEAST_LEVEL = 300;
/** A window with a lower correlation counts as lost or time-stretched. */
const LEAST_MATCH = 0.6;
/** Samples that the first search over a long time takes as one. */
const COARSE_STEP = 4;

/** Audio of one side at `MATCH_RATE_HZ`. */
export interface Timeline {
  samples: Float32Array;
  /** When the sample with this index left or arrived, ms. */
  timeOf(index: number): number;
}

export interface Alignment {
  sent: Timeline;
  heard: Timeline;
  /** The half-second windows that hold speech, in order: first sample on both sides; `heardFrom` is null for a window
   *  that was not found. */
  windows: { sentFrom: number; heardFrom: number | null }[];
}

/** Delays in ms of the half-second windows that hold speech, in order. Sent and received chunks have no gaps. */
export function measureAudioDelays(sent: readonly SentPiece[], heard: readonly HeardAudio[]): number[] {
  return delaysOf(alignSpeech(sent, heard));
}

/** Delays in ms of the windows that were found, in order. */
export function delaysOf({ sent, heard, windows }: Alignment): number[] {
  return windows.flatMap(({ sentFrom, heardFrom }) =>
    heardFrom === null ? [] : [heard.timeOf(heardFrom) - sent.timeOf(sentFrom)],
  );
}

/** Finds each half-second of sent speech in what was heard, up to five seconds later. */
export function alignSpeech(sent: readonly SentPiece[], heard: readonly HeardAudio[]): Alignment {
  const from = toTimeline(sent, SENT_SAMPLE_RATE_HZ);
  const to = toTimeline(heard, PLAYOUT_SAMPLE_RATE_HZ);
  const windows: Alignment["windows"] = [];
  const near = (NEAR_MS / 1000) * MATCH_RATE_HZ;
  const longest = (LONGEST_DELAY_MS / 1000) * MATCH_RATE_HZ;
  let earliest = 0;
  let previous: number | null = null;
  for (let start = 0; start + WINDOW_SAMPLES <= from.samples.length; start += WINDOW_SAMPLES) {
    const window = from.samples.subarray(start, start + WINDOW_SAMPLES);
    if (level(window) < LEAST_LEVEL) continue;
    const leftAtMs = from.timeOf(start);
    while (earliest < to.samples.length && to.timeOf(earliest) < leftAtMs) earliest += 1;
    const find = (first: number, last: number): number | null => {
      const begin = Math.max(earliest, first);
      if (begin > last) return null;
      const offset = bestOffset(window, to.samples.subarray(begin, last + WINDOW_SAMPLES));
      return offset === null ? null : begin + offset;
    };
    const expected: number | null = previous === null ? null : previous + start;
    const close: number | null = expected === null ? null : find(expected - near, expected + near);
    const heardFrom: number | null = close ?? findAnywhere(window, to.samples, earliest, longest);
    if (heardFrom !== null) previous = heardFrom - start;
    windows.push({ sentFrom: start, heardFrom });
  }
  return { sent: from, heard: to, windows };
}

/** Like a search at full rate from `earliest` on, but 16 times cheaper: finds the place at a quarter of the rate, then
 *  the sample. */
function findAnywhere(window: Float32Array, heard: Float32Array, earliest: number, longest: number): number | null {
  const search = heard.subarray(earliest, earliest + longest + window.length);
  const rough = bestOffset(decimate(window), decimate(search));
  if (rough === null) return null;
  const from = earliest + Math.max(0, (rough - 1) * COARSE_STEP);
  const offset = bestOffset(window, heard.subarray(from, from + window.length + 2 * COARSE_STEP));
  return offset === null ? null : from + offset;
}

function decimate(samples: Float32Array): Float32Array {
  const result = new Float32Array(Math.floor(samples.length / COARSE_STEP));
  for (let index = 0; index < result.length; index++) {
    for (let inner = 0; inner < COARSE_STEP; inner++) result[index] += samples[index * COARSE_STEP + inner];
  }
  return result;
}

function toTimeline(pieces: readonly { atMs: number; samples: Int16Array }[], rateHz: number): Timeline {
  const step = rateHz / MATCH_RATE_HZ;
  const all = new Int16Array(pieces.reduce((sum, piece) => sum + piece.samples.length, 0));
  const starts: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    starts.push(length);
    all.set(piece.samples, length);
    length += piece.samples.length;
  }
  const samples = new Float32Array(Math.floor(length / step));
  for (let index = 0; index < samples.length; index++) {
    for (let inner = 0; inner < step; inner++) samples[index] += all[index * step + inner] / step;
  }
  let at = 0;
  const timeOf = (index: number): number => {
    const position = index * step;
    while (at + 1 < starts.length && starts[at + 1] <= position) at += 1;
    while (at > 0 && starts[at] > position) at -= 1;
    return pieces[at].atMs + ((position - starts[at]) / rateHz) * 1000;
  };
  return { samples, timeOf };
}

/** Offset in `search` at which it resembles the window most (normalised correlation), or null when it nowhere does. */
function bestOffset(window: Float32Array, search: Float32Array): number | null {
  const windowPower = power(window);
  let best: number | null = null;
  let bestMatch = LEAST_MATCH;
  let searchPower = power(search.subarray(0, window.length));
  for (let offset = 0; offset + window.length <= search.length; offset++) {
    let product = 0;
    for (let index = 0; index < window.length; index++) product += window[index] * search[offset + index];
    const match = product / Math.sqrt(windowPower * searchPower + 1);
    if (match > bestMatch) {
      bestMatch = match;
      best = offset;
    }
    searchPower += search[offset + window.length] ** 2 - search[offset] ** 2;
  }
  return best;
}

function power(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0);
}

function level(samples: Float32Array): number {
  return Math.sqrt(power(samples) / samples.length);
}
