// Divides a sentence into the pieces in which its audio is made.
import { NEURAL_SAMPLE_RATE_HZ, STEP_SAMPLES } from "./network-graphs.ts";

/** A range of steps. */
export interface Piece {
  fromStep: number;
  toStep: number;
}

const STEPS_PER_SECOND = NEURAL_SAMPLE_RATE_HZ / STEP_SAMPLES;
/** Lengths of the pieces of a sentence; further ones are as long as the last. The first piece is short, because the
 *  listener waits for it. The next ones grow: each must be made while the one before it is heard. Shorter ones sound
 *  different, because the network normalizes over the piece. */
export const PIECE_SECONDS: readonly number[] = [0.5, 0.8, 1.3, 2];
const PIECE_STEPS = PIECE_SECONDS.map((seconds) => Math.round(seconds * STEPS_PER_SECOND));
/** No piece is shorter than this, except that of a short sentence. */
const LEAST_STEPS = PIECE_STEPS[0];

/** The pieces of a sentence that lies between two steps, in order, without gaps. Empty if there are no steps. */
export function planPieces(fromStep: number, toStep: number): Piece[] {
  const pieces: Piece[] = [];
  for (let from = fromStep; from < toStep; ) {
    const planned = from + PIECE_STEPS[Math.min(pieces.length, PIECE_STEPS.length - 1)];
    const to = toStep - planned < LEAST_STEPS ? toStep : planned;
    pieces.push({ fromStep: from, toStep: to });
    from = to;
  }
  return pieces;
}
