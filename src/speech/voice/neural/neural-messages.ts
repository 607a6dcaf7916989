// Tasks of the process of the neural voice, and their results.

import type { PreparedSentence } from "../../text/prepared-sentence.ts";
import type { SentenceTimes } from "../voice.ts";
import type { PhonemeSentence } from "./phoneme-sentence.ts";

/** What the voice needs of an English sentence. */
export type SpeakableSentence = Pick<PreparedSentence, "text" | "words">;

/** One piece of a sentence. Tasks are independent of each other; the process remembers the last sentences, so that the
 *  pieces of one cost no more for it. */
export interface PieceTask {
  /** English words, or words of any language with their phonemes. */
  sentence: SpeakableSentence | PhonemeSentence;
  /** A style table, for example `af_heart`. */
  voice: string;
  /** 1 is the voice's own. */
  speed: number;
  /** Number of the part of the sentence, from 0. A sentence of more sounds than the network takes has several. */
  part: number;
  /** Number of the piece in the part, from 0. */
  piece: number;
}

export interface PieceAudio {
  sampleRateHz: number;
  /** Mono, int16. Empty for a sentence without sounds. */
  samples: Int16Array;
  /** What follows the samples, for a fade into the next piece; empty for the last piece of a part. */
  overlap: Int16Array;
  /** The last piece of its part. */
  isLast: boolean;
  /** The part is the last one of its sentence. */
  isLastPart: boolean;
  /** With the first piece of a part: its times. The text is that of the whole sentence. */
  sentence?: SentenceTimes;
}
