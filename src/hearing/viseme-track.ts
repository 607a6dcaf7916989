// The mouth shapes of a segment whose text is known, and what they make of each video frame.
//
// Shapes overlap in time as they do in a mouth: each video frame is a weighted mean of its neighbourhood, taken a
// little ahead of the sound because lips move before they are heard. Closures are no part of any mean: one that falls
// into a video frame shuts it.
import { HOP_MS } from "../../shared/units.ts";
import type { HeardSpeech } from "./hearing-stream.ts";
import type { TimedViseme } from "./timed-viseme.ts";
import type { HeardPicture } from "./viseme-decoder.ts";
import { VISEME_COUNT, VISEME_INDEX } from "./visemes.ts";

/** Width of the neighbourhood (standard deviation of a Gaussian) and how far it is ahead of the video frame's middle.
 *  The latter makes up for the easing of `MouthShaper` too. */
const SPREAD_MS = 30;
const AHEAD_MS = 22;
/** A closure shuts each video frame that it covers for this long: half of it. */
const SHUT_FROM_MS = HOP_MS / 2;
/** Resolution of the mean. */
const STEP_MS = 5;
/** Part of the text in the mix with what was heard. The text knows which shape and when, the sound how it was really
 *  said. */
const TEXT_SHARE = 0.8;
/** Shapes this far behind the newest video frame are forgotten. */
const KEPT_MS = 1000;

/** What was heard of a video frame, corrected by what its text says: loudness stays the sound's, closures are the
 *  text's. */
export function blendWithText(heard: HeardSpeech, text: HeardPicture): HeardSpeech {
  const visemes = text.visemes.map((share, k) => TEXT_SHARE * share + (1 - TEXT_SHARE) * heard.visemes[k]);
  // A closure of the text is quiet, and the gate may still be shut at the first sound of a sentence.
  const spoken = 1 - text.visemes[VISEME_INDEX.sil];
  return {
    ...heard,
    visemes,
    closurePeak: text.closurePeak,
    closureMean: text.closureMean,
    speech: Math.max(heard.speech, spoken),
  };
}

/** Mouth shapes on the time of one segment's sound. */
export class VisemeTrack {
  #visemes: TimedViseme[] = [];

  /** Appends shapes whose times count from `atMs` into the segment. */
  add(visemes: readonly TimedViseme[], atMs: number): void {
    for (const { viseme, startMs, endMs } of visemes) {
      this.#visemes.push({ viseme, startMs: startMs + atMs, endMs: endMs + atMs });
    }
  }

  /** Sound was left out: what came `atMs` into the segment and later comes earlier by `durationMs`. */
  leaveOut(atMs: number, durationMs: number): void {
    const moved = (timeMs: number) => (timeMs <= atMs ? timeMs : Math.max(atMs, timeMs - durationMs));
    for (const timed of this.#visemes) {
      timed.startMs = moved(timed.startMs);
      timed.endMs = moved(timed.endMs);
    }
  }

  /** The shapes of a video frame (40 ms each, counted from the segment's start); null where no text is known. Video
   *  frames are requested in order. */
  picture(index: number): HeardPicture | null {
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

  /** How shut a video frame is: each closure shuts the video frames that it mostly covers, and at least the one that
   *  it covers most. */
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

  /** Closures that touch a video frame; those without a gap between them are one. */
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

/** How much of the video frame that begins at `pictureMs` lies within a time, ms. */
function coverageMs(fromMs: number, toMs: number, pictureMs: number): number {
  return Math.max(0, Math.min(toMs, pictureMs + HOP_MS) - Math.max(fromMs, pictureMs));
}
