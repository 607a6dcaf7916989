// From the network's answers, every 20 ms and late, to one mouth class vector for each picture of 40 ms.
import { FRAMES_PER_HOP, type HearingOutput } from "./hearing-network.ts";
import { VISEME_COUNT, VISEME_INDEX } from "./visemes.ts";

/** Hops of sound that must follow a picture's own 40 ms before it can be decoded: 80 ms.
 *  The network was trained to answer five frames (100 ms) late; on synthetic speech with known phoneme times its answers fit best
 *  4.5 to 5 frames late. Two hops leave the newer of the two frames used 6 ms behind the middle of the picture and cost 40 ms less than
 *  the three hops that exact alignment would take. */
export const LOOK_AHEAD_HOPS = 2;

/** Weights of the older and newer frame: the newer one lies closer to the picture's middle; together they are 9 ms behind it. */
const FRAME_WEIGHTS = [0.3, 0.7] as const;

/** What was heard in the 40 ms of one picture. */
export interface HeardPicture {
  /** Posteriors, float32 [15], sum 1, order of VISEMES. */
  visemes: Float32Array;
  /** Strength of a lip closure, 0..1: the largest within the picture, so that a short P never falls between two pictures. */
  closure: number;
}

/** Collects hops and gives pictures `LOOK_AHEAD_HOPS` hops late. */
export class VisemeDecoder {
  #hops = 0;

  /** Takes the answer to the next hop; returns the picture that it completes, or null for the first hops of a stream. */
  push(output: HearingOutput): HeardPicture | null {
    this.#hops += 1;
    if (this.#hops <= LOOK_AHEAD_HOPS) return null;
    const visemes = new Float32Array(VISEME_COUNT);
    let closure = 0;
    for (let frame = 0; frame < FRAMES_PER_HOP; frame++) {
      const offset = frame * VISEME_COUNT;
      for (let k = 0; k < VISEME_COUNT; k++) visemes[k] += FRAME_WEIGHTS[frame] * output.visemes[offset + k];
      closure = Math.max(closure, output.closures[frame], output.visemes[offset + VISEME_INDEX.PP]);
    }
    return { visemes, closure };
  }

  /** Begins a new stream. */
  reset(): void {
    this.#hops = 0;
  }
}
