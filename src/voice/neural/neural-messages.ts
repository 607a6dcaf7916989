// Tasks of the process of the neural voice, and their results.

import type { PreparedSentence } from "../../speech-text/prepared-sentence.ts";
import type { SentenceTimes } from "../voice.ts";

/** What the voice needs of a sentence. */
export type SpeakableSentence = Pick<PreparedSentence, "text" | "words">;

/** One piece of a sentence. Tasks are independent of each other; the process remembers the last sentences, so that the
 *  pieces of one cost no more for it. */
export interface PieceTask {
  sentence: SpeakableSentence;
  /** A style table, for example `af_heart`. */
  voice: string;
  /** 1 is the voice's own. */
  speed: number;
  /** Number of the piece, from 0. */
  piece: number;
}

export interface PieceAudio {
  sampleRateHz: number;
  /** Mono, int16. Empty for a sentence without sounds. */
  samples: Int16Array;
  /** What follows the samples, for a fade into the next piece; empty for the last piece. */
  overlap: Int16Array;
  isLast: boolean;
  /** With the first piece. */
  sentence?: SentenceTimes;
}
