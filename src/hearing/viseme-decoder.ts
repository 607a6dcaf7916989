// From the network's answers, every 20 ms and late, to one mouth class vector for each picture of 40 ms.
import type { HearingOutput } from "./hearing-network.ts";
import { VISEME_COUNT, VISEME_INDEX } from "./visemes.ts";

/** Hops of sound that must follow a picture's own 40 ms before it can be decoded: 80 ms.
 *  The network was trained to answer five frames (100 ms) late; on synthetic speech with known phoneme times its answers fit best
 *  4.5 to 5 frames late. With two hops the newest frame is 6 ms behind the middle of the picture; a third hop would cost 40 ms more. */
export const LOOK_AHEAD_HOPS = 2;

/** The trend from the older to the newer frame is carried on by this much: it makes up for the 6 ms, and for the smoothing of the mouth behind it.
 *  Measured on 35 synthetic sentences: jaw and vowels fit best at 0 ms with it, 15 ms late with the mean of both frames. */
const CARRIED_ON = 0.5;

/** What was heard in the 40 ms of one picture. */
export interface HeardPicture {
  /** Posteriors, float32 [15], sum 1, order of VISEMES. */
  visemes: Float32Array;
  /** Strength of a lip closure, 0..1. */
  closure: number;
}

/** Collects hops and gives pictures `LOOK_AHEAD_HOPS` hops late. */
export class VisemeDecoder {
  #hops = 0;

  /** Takes the answer to the next hop; returns the picture that it completes, or null for the first hops of a stream. */
  push(output: HearingOutput): HeardPicture | null {
    this.#hops += 1;
    if (this.#hops <= LOOK_AHEAD_HOPS) return null;
    const older = output.visemes.subarray(0, VISEME_COUNT);
    const newer = output.visemes.subarray(VISEME_COUNT);
    const visemes = newer.map((value, k) => carryOn(older[k], value));
    const sum = visemes.reduce((total, value) => total + value, 0);
    for (let k = 0; k < VISEME_COUNT; k++) visemes[k] /= sum;
    // Both heads know closures, and each misses some that the other hears.
    const wasShut = Math.max(output.closures[0], older[VISEME_INDEX.PP]);
    const isShut = Math.max(output.closures[1], newer[VISEME_INDEX.PP]);
    // Never below the newest answer: a closure that is just ending still covers this picture.
    const closure = Math.min(1, Math.max(isShut, visemes[VISEME_INDEX.PP], carryOn(wasShut, isShut)));
    return { visemes, closure };
  }

  /** Begins a new stream. */
  reset(): void {
    this.#hops = 0;
  }
}

function carryOn(older: number, newer: number): number {
  return Math.max(0, newer + CARRIED_ON * (newer - older));
}
