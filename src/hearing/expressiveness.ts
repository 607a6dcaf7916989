// The one setting for how large mouth movements are.

/** Movements as in the table of poses: a person in conversation. */
export const DEFAULT_EXPRESSIVENESS = 0.5;

/** Factor on mouth movements for an expressiveness of 0 (calm, half the size) through 0.5 (conversation, as the table
 *  says) to 1 (lively, half as much again). Closures stay closures. Throws RangeError outside 0..1. */
export function movementSize(expressiveness: number): number {
  if (!(expressiveness >= 0 && expressiveness <= 1)) {
    throw new RangeError(`expressiveness runs from 0 to 1, not ${expressiveness}`);
  }
  return 0.5 + expressiveness;
}
