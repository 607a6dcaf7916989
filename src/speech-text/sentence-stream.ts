// Sentences of a text that arrives in pieces, as from a language model.
import { LONGEST_SENTENCE_CHARACTERS, prepareSpeech } from "./prepare-speech.ts";
import type { PreparedSentence } from "./prepared-sentence.ts";

/** Text without an end is cut here: several sentences, so that an open link or code block is rarely torn. */
const MOST_WAITING_CHARACTERS = 8 * LONGEST_SENTENCE_CHARACTERS;
const MAY_END = /[.!?…。！？\n]/;
/** Fewer new characters are not looked at again, unless one of them may end a sentence. */
const LOOK_AGAIN_CHARACTERS = 200;

/** Takes text in pieces of any size and gives each sentence once it is certain where it ends: when the next one has
 *  begun. Positions count from the start of the first piece. */
export class SentenceStream {
  readonly #language: string;
  #waiting = "";
  /** Characters before `#waiting`. */
  #passed = 0;
  #unseen = 0;

  /** `language`: as for `prepareSpeech`. */
  constructor(language = "en") {
    this.#language = language;
  }

  /** The sentences that this piece completes; often none. Never throws. */
  push(piece: string): PreparedSentence[] {
    const mayEnd = MAY_END.test(this.#waiting.slice(-1) + piece);
    this.#waiting += piece;
    this.#unseen += piece.length;
    if (!mayEnd && this.#unseen < LOOK_AGAIN_CHARACTERS) return [];
    this.#unseen = 0;
    const isFull = this.#waiting.length > MOST_WAITING_CHARACTERS;
    const sentences = [...prepareSpeech(this.#waiting, this.#language)];
    // The last one may go on, and the one before it may end with an abbreviation only as far as is known yet.
    const open = sentences.pop();
    if (!open) {
      if (isFull) this.#pass(this.#waiting.length);
      return [];
    }
    if (sentences.length === 0 && isFull) sentences.push(open);
    const last = sentences.at(-1);
    const placed = sentences.map((sentence) => moved(sentence, this.#passed));
    if (last) this.#pass(last.toCharacter);
    return placed;
  }

  /** The rest of the text. The stream is empty afterwards. */
  end(): PreparedSentence[] {
    const sentences = [...prepareSpeech(this.#waiting, this.#language)].map((one) => moved(one, this.#passed));
    this.#pass(this.#waiting.length);
    return sentences;
  }

  #pass(count: number): void {
    this.#waiting = this.#waiting.slice(count);
    this.#passed += count;
    this.#unseen = 0;
  }
}

function moved(sentence: PreparedSentence, by: number): PreparedSentence {
  return {
    ...sentence,
    fromCharacter: sentence.fromCharacter + by,
    toCharacter: sentence.toCharacter + by,
    words: sentence.words.map((word) => ({
      ...word,
      fromCharacter: word.fromCharacter + by,
      toCharacter: word.toCharacter + by,
    })),
  };
}
