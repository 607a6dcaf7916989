// Converts the network's outputs, which come every 20 ms and delayed, to one viseme vector per video frame of 40 ms.

import { VISEME_COUNT } from "../../speech/visemes/visemes.ts";
import type { LipSyncOutput } from "./lip-sync-network.ts";

/** Look-ahead: hops of audio after a video frame's own 40 ms that are needed to decode it (80 ms). The network was
 *  trained with this delay, in two halves of 20 ms (models/lip-sync/README.md). */
export const LOOK_AHEAD_HOPS = 2;

/** Lip sync of the 40 ms of one video frame. */
export interface LipSyncFrame {
  /** Posteriors, float32 [15], sum 1, order of VISEMES. */
  visemes: Float32Array;
  /** Probability of a lip closure in its stronger half of 20 ms, 0..1: the lips are rendered by this. */
  closurePeak: number;
  /** Mean probability of a lip closure, 0..1: decides whether the frame counts as shut. */
  closureMean: number;
}

/** Collects hops and returns video frames `LOOK_AHEAD_HOPS` hops later. */
export class VisemeDecoder {
  #hops = 0;

  /** Adds the output for the next hop; returns the video frame that it completes, or null for the first hops of a
   *  stream. */
  push(output: LipSyncOutput): LipSyncFrame | null {
    this.#hops += 1;
    if (this.#hops <= LOOK_AHEAD_HOPS) return null;
    const halves = output.visemes;
    // A new array for each frame, because it is kept until the frame is rendered.
    const visemes = new Float32Array(VISEME_COUNT);
    for (let k = 0; k < VISEME_COUNT; k++) visemes[k] = (halves[VISEME_COUNT + k] + halves[k]) / 2;
    const first = output.closures[0];
    const second = output.closures[1];
    // A closure can be as short as 60 ms and must not be lost between two frames, so the stronger half counts.
    return { visemes, closurePeak: Math.max(first, second), closureMean: (first + second) / 2 };
  }

  /** Begins a new stream. */
  reset(): void {
    this.#hops = 0;
  }
}
