// Tasks of the process of fetched voices. Results are those of the neural voice: a sentence is one piece.
import type { PhonemeSentence } from "../neural/phoneme-sentence.ts";

/** One sentence. */
export interface FetchedTask {
  /** Folder of the voice. */
  folder: string;
  /** Which of its speakers, from 0. */
  speaker: number;
  /** With eSpeak NG's phonemes. */
  sentence: PhonemeSentence;
  /** 1 is the voice's own. */
  speed: number;
}
