// A sentence as the neural voice reads it.
import type { PronouncedWord } from "../../pronunciation/english-pronouncer.ts";

export interface PhonemeSentence {
  /** As it was written, for captions. */
  text: string;
  /** Letters that the network does not know are left out. */
  words: readonly PronouncedWord[];
}
