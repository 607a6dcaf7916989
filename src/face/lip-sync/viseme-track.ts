// The mouth shapes of a segment with a known text, and their visemes for each video frame.
//
// Shapes overlap in time (coarticulation): each video frame is a weighted mean of the shapes around it, taken slightly
// ahead of the audio, because lips move before the phoneme. Closures are not averaged: a closure within a video frame
// shuts its lips.
import { HOP_MS } from "../../../shared/units.ts";
import type { TimedViseme } from "../../speech/visemes/timed-viseme.ts";
import { VISEME_COUNT, VISEME_INDEX } from "../../speech/visemes/visemes.ts";
import type { SpeechFeatures } from "./lip-sync-stream.ts";
import type { LipSyncFrame } from "./viseme-decoder.ts";

/** Standard deviation of the Gaussian weights, and how far their centre is ahead of the middle of the video frame. The
 *  latter also compensates the smoothing of `MouthShaper`. */
const SPREAD_MS = 30;
const AHEAD_MS = 22;
/** A closure shuts each video frame that it covers for at least this time: half a frame. */
const SHUT_FROM_MS = HOP_MS / 2;
/** Time step of the mean. */
const STEP_MS = 5;
/** Weight of the text against the network's output. The text gives shape and time, the audio how it was really
 *  spoken. */
const TEXT_SHARE = 0.8;
/** Shapes this far behind the newest video frame are dropped. */
const KEPT_MS = 1000;

/** Corrects the network's output for a video frame by its text: the loudness comes from the audio, closures from the
 *  text. */
export function blendWithText(features: SpeechFeatures, text: LipSyncFrame): SpeechFeatures {
  const visemes = text.visemes.map((share, k) => TEXT_SHARE * share + (1 - TEXT_SHARE) * features.visemes[k]);
  // Closures are quiet, and the speech gate can still be closed at the first sound of a sentence.
  const spoken = 1 - text.visemes[VISEME_INDEX.sil];
  return {
    ...features,
    visemes,
    closurePeak: text.closurePeak,
    closureMean: text.closureMean,
    speech: Math.max(features.speech, spoken),
  };
}

/** Mouth shapes on the timeline of one segment's audio. */
export class VisemeTrack {
  #visemes: TimedViseme[] = [];

  /** Appends shapes with times that count from `atMs` into the segment. */
  add(visemes: readonly TimedViseme[], atMs: number): void {
    for (const { viseme, startMs, endMs } of visemes) {
      this.#visemes.push({ viseme, startMs: startMs + atMs, endMs: endMs + atMs });
    }
  }

  /** Audio was removed: shapes from `atMs` into the segment on move earlier by `durationMs`. */
  leaveOut(atMs: number, durationMs: number): void {
    const moved = (timeMs: number) => (timeMs <= atMs ? timeMs : Math.max(atMs, timeMs - durationMs));
    for (const timed of this.#visemes) {
      timed.startMs = moved(timed.startMs);
      timed.endMs = moved(timed.endMs);
    }
  }

  /** The shapes of a video frame (40 ms each, counted from the segment's start); null where no text is known. Call it
   *  in order of the video frames. */
  frame(index: number): LipSyncFrame | null {
    const startMs = index * HOP_MS;
    this.#forget(startMs - KEPT_MS);
    const middleMs = startMs + HOP_MS / 2;
    if (!this.#visemes.some((timed) => timed.startMs <= middleMs && timed.endMs > middleMs)) return null;
    const closure = this.#closure(startMs);
    return { visemes: this.#mix(middleMs + AHEAD_MS), closurePeak: closure, closureMean: closure };
  }

  #mix(middleMs: number): Float32Array {
    const visemes = new Float32Array(VISEME_COUNT);
    let sum = 0;
    for (const { viseme, startMs, endMs } of this.#visemes) {
      if (endMs < middleMs - 3 * SPREAD_MS || startMs > middleMs + 3 * SPREAD_MS) continue;
      const fromMs = Math.max(startMs, middleMs - 3 * SPREAD_MS);
      const toMs = Math.min(endMs, middleMs + 3 * SPREAD_MS);
      for (let timeMs = fromMs + STEP_MS / 2; timeMs < toMs; timeMs += STEP_MS) {
        const weight = Math.exp(-0.5 * ((timeMs - middleMs) / SPREAD_MS) ** 2);
        visemes[VISEME_INDEX[viseme]] += weight;
        sum += weight;
      }
    }
    if (sum === 0) visemes[VISEME_INDEX.sil] = 1;
    else for (let k = 0; k < VISEME_COUNT; k++) visemes[k] /= sum;
    return visemes;
  }

  /** Closure of a video frame: each closure shuts the video frames that it covers at least by half, or else the one
   *  that it covers most. */
  #closure(startMs: number): number {
    let closure = 0;
    for (const { startMs: fromMs, endMs: toMs } of this.#closuresIn(startMs)) {
      const coveredMs = coverageMs(fromMs, toMs, startMs);
      const before = coverageMs(fromMs, toMs, startMs - HOP_MS);
      const after = coverageMs(fromMs, toMs, startMs + HOP_MS);
      const isShut = coveredMs >= SHUT_FROM_MS || coveredMs >= Math.max(before, after);
      closure = Math.max(closure, isShut ? 1 : 0);
    }
    return closure;
  }

  /** Closures that overlap a video frame; adjacent ones are merged. */
  #closuresIn(startMs: number): TimedViseme[] {
    const closures: TimedViseme[] = [];
    for (const timed of this.#visemes) {
      if (timed.viseme !== "PP") continue;
      const last = closures.at(-1);
      if (last && timed.startMs - last.endMs < STEP_MS) last.endMs = timed.endMs;
      else closures.push({ ...timed });
    }
    return closures.filter(({ startMs: fromMs, endMs }) => coverageMs(fromMs, endMs, startMs) > 0);
  }

  #forget(beforeMs: number): void {
    const kept = this.#visemes.findIndex(({ endMs }) => endMs > beforeMs);
    if (kept > 0) this.#visemes.splice(0, kept);
  }
}

/** Overlap of a time span with the video frame that begins at `frameMs`, ms. */
function coverageMs(fromMs: number, toMs: number, frameMs: number): number {
  return Math.max(0, Math.min(toMs, frameMs + HOP_MS) - Math.max(fromMs, frameMs));
}
