// How lively a face is while nothing tells it to move.

export const MANNERS = Object.freeze(["still", "natural", "animated"] as const);

/** `still`: breath, blinks, lips, and what a caller sets; `natural`: as people are in a conversation; `animated`: as a
 *  presenter is. */
export type Manner = (typeof MANNERS)[number];

/** Throws RangeError, which lists the names, for anything else. */
export function parseManner(name: unknown): Manner {
  const manner = MANNERS.find((known) => known === name);
  if (manner === undefined) throw new RangeError(`A manner is one of ${MANNERS.join(", ")}.`);
  return manner;
}
