// From the network's answers, every 20 ms and late, to one mouth class vector for each video frame of 40 ms.
import type { HearingOutput } from "./hearing-network.ts";
import { VISEME_COUNT } from "./visemes.ts";

/** Hops of sound that must follow a video frame's own 40 ms before it can be decoded: 80 ms. The network was trained
 *  to answer just then, in two halves of 20 ms (models/hearing/README.md). */
export const LOOK_AHEAD_HOPS = 2;

/** What was heard in the 40 ms of one video frame. */
export interface HeardPicture {
  /** Posteriors, float32 [15], sum 1, order of VISEMES. */
  visemes: Float32Array;
  /** Probability of a lip closure in its stronger half of 20 ms, 0..1: what the lips are drawn by. */
  closurePeak: number;
  /** Mean probability of a lip closure, 0..1: whether the frame counts as shut. */
  closureMean: number;
}

/** Collects hops and gives video frames `LOOK_AHEAD_HOPS` hops late. */
export class VisemeDecoder {
  #hops = 0;

  /** Takes the answer to the next hop; returns the video frame that it completes, or null for the first hops of a
   *  stream. */
  push(output: HearingOutput): HeardPicture | null {
    this.#hops += 1;
    if (this.#hops <= LOOK_AHEAD_HOPS) return null;
    const halves = output.visemes;
    // Kept with the frame until it is rendered: the one array that each frame has of its own.
    const visemes = new Float32Array(VISEME_COUNT);
    for (let k = 0; k < VISEME_COUNT; k++) visemes[k] = (halves[VISEME_COUNT + k] + halves[k]) / 2;
    const [first, second] = output.closures;
    // A closure may last no longer than 60 ms, and none may fall between two frames: the stronger half counts.
    return { visemes, closurePeak: Math.max(first, second), closureMean: (first + second) / 2 };
  }

  /** Begins a new stream. */
  reset(): void {
    this.#hops = 0;
  }
}
