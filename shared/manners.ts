// How lively a face is while nothing tells it to move.

export const MANNERS = Object.freeze(["still", "natural", "animated"] as const);

/** `still`: breath, blinks, lips, and what a caller sets; `natural`: as people are in a conversation; `animated`: as a
 *  presenter is. */
export type Manner = (typeof MANNERS)[number];
