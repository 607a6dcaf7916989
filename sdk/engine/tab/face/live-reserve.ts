/** Audio that must have arrived before the face begins to say what is spoken now, ms: two frames more than lip sync
 *  looks ahead. */
export const LIVE_RESERVE_MS = 200;
