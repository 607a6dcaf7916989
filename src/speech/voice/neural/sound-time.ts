// A sound of a sentence, or the silence of a mark.
import type { TimedSymbol } from "../voice.ts";

export interface SoundTime extends TimedSymbol {
  /** Index of its word; −1 for the silence of a mark. */
  word: number;
}
