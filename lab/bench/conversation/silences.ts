// Where the avatar fell silent and went on, as the person heard it.
import { SOUND_LEVEL } from "../../../cli/conversation/sound-level.ts";

/** A part of what was heard. */
export type HeardLevel = { atMs: number; level: number };

export interface Silence {
  fromMs: number;
  /** Infinity if it lasted to the end. */
  toMs: number;
}

/** The first silence of at least `leastMs` that begins at `sinceMs` or later, or that `sinceMs` lies in; undefined
 *  without one. `heard`: in order, 10 ms each. */
export function firstSilence(heard: readonly HeardLevel[], sinceMs: number, leastMs: number): Silence | undefined {
  let lastSoundMs = sinceMs;
  for (const { atMs, level } of heard) {
    if (atMs < sinceMs || level <= SOUND_LEVEL) continue;
    if (atMs - lastSoundMs >= leastMs) return { fromMs: lastSoundMs, toMs: atMs };
    lastSoundMs = atMs;
  }
  const endMs = heard.at(-1)?.atMs ?? sinceMs;
  return endMs - lastSoundMs >= leastMs ? { fromMs: lastSoundMs, toMs: Number.POSITIVE_INFINITY } : undefined;
}
