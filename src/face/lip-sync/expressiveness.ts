// The setting for the size of mouth movements.

/** Movements as in the table of mouth poses: a person in conversation. */
export const DEFAULT_EXPRESSIVENESS = 0.5;

/** Factor on mouth movements: 0.5 for an expressiveness of 0 (calm), 1 for 0.5 (conversation, as in the table), 1.5 for
 *  1 (lively). Lip closures are complete at any setting. Throws RangeError outside 0..1. */
export function movementSize(expressiveness: number): number {
  if (!(expressiveness >= 0 && expressiveness <= 1)) {
    throw new RangeError(`expressiveness must be 0 to 1, got ${expressiveness}`);
  }
  return 0.5 + expressiveness;
}
