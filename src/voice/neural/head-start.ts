// How much of a message is made before any of it is heard, so that its sound has no holes on a slow machine.
import { PIECE_SECONDS } from "./piece-plan.ts";

/** Made around each piece, besides what is heard of it. */
const OVERLAP_S = 0.2;
/** Sound is heard this much later than it is given away, so that a piece may be late by it. */
const SLACK_S = 0.1;
/** More does not help a machine that cannot keep up at all. */
const MOST_HELD = 3;

/** The pieces that are held back until the next one is made: 0 on a machine that keeps up. `pace`: seconds that it
 *  takes to make a second of sound. */
export function heldPieces(pace: number): number {
  for (let held = 0; held < MOST_HELD; held++) if (keepsUp(pace, held)) return held;
  return MOST_HELD;
}

/** Whether each piece behind the held ones is made before the sound of those before it ends. */
function keepsUp(pace: number, held: number): boolean {
  let madeAt = 0;
  let startsAt = 0;
  let soundBefore = 0;
  for (const [index, seconds] of PIECE_SECONDS.entries()) {
    madeAt += pace * (seconds + OVERLAP_S);
    if (index <= held) startsAt = madeAt;
    else if (madeAt > startsAt + soundBefore + SLACK_S) return false;
    soundBefore += seconds;
  }
  return true;
}
