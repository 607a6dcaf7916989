// From the network's answers, every 20 ms and late, to one mouth class vector for each picture of 40 ms.
import type { HearingOutput } from "./hearing-network.ts";
import { VISEME_COUNT } from "./visemes.ts";

/** Hops of sound that must follow a picture's own 40 ms before it can be decoded: 80 ms. The network was trained to answer just then, in two
 *  halves of 20 ms (models/hearing/README.md). */
export const LOOK_AHEAD_HOPS = 2;

/** What was heard in the 40 ms of one picture. */
export interface HeardPicture {
  /** Posteriors, float32 [15], sum 1, order of VISEMES. */
  visemes: Float32Array;
  /** Strength of a lip closure where it is strongest, 0..1: what the lips are drawn by. */
  closure: number;
  /** Strength of a lip closure on the whole, 0..1: whether this picture counts as shut. */
  shut: number;
}

/** Collects hops and gives pictures `LOOK_AHEAD_HOPS` hops late. */
export class VisemeDecoder {
  #hops = 0;

  /** Takes the answer to the next hop; returns the picture that it completes, or null for the first hops of a stream. */
  push(output: HearingOutput): HeardPicture | null {
    this.#hops += 1;
    if (this.#hops <= LOOK_AHEAD_HOPS) return null;
    const [first, second] = [output.visemes.subarray(0, VISEME_COUNT), output.visemes.subarray(VISEME_COUNT)];
    const visemes = second.map((value, k) => (value + first[k]) / 2);
    // The stronger half counts: a closure may last no longer than 60 ms, and none may fall between two pictures.
    const closure = Math.max(...output.closures);
    const shut = output.closures.reduce((sum, value) => sum + value, 0) / output.closures.length;
    return { visemes, closure, shut };
  }

  /** Begins a new stream. */
  reset(): void {
    this.#hops = 0;
  }
}
