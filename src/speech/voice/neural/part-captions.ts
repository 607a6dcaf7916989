// What is shown of a sentence that is spoken in several parts.
import type { TimedWord } from "../voice.ts";

/** Hands out the written text of a sentence, part by part, in order. */
export class PartCaptions {
  readonly #source: string;
  readonly #written: string;
  /** Where the text of the next part starts. */
  #from = 0;

  /** `source`: the text that was given to the voice, in which words have their places. `written`: the sentence, without
   *  markup. */
  constructor(source: string, written: string) {
    this.#source = source;
    this.#written = written;
  }

  /** The text of the next part: up to the end of its last word and the marks behind it, the rest for the last part.
   *  A part in the middle of what is written as one has the whole of that. Never throws. */
  next(words: readonly Pick<TimedWord, "fromCharacter" | "toCharacter">[], isLast: boolean): string {
    const to = isLast ? this.#written.length : this.#endOf(words);
    const text = this.#written.slice(this.#from, to).trim();
    this.#from = to;
    if (text !== "") return text;
    return words.length > 0 ? this.#sourceOf(words[0]) : "";
  }

  #endOf(words: readonly Pick<TimedWord, "fromCharacter" | "toCharacter">[]): number {
    let at = this.#from;
    let lastFrom = -1;
    for (const word of words) {
      if (word.fromCharacter === lastFrom) continue;
      lastFrom = word.fromCharacter;
      const written = this.#sourceOf(word);
      const found = this.#written.indexOf(written, at);
      if (found >= 0) at = found + written.length;
    }
    const behind = this.#written.slice(at).search(/\s/);
    return behind < 0 ? this.#written.length : at + behind;
  }

  #sourceOf({ fromCharacter, toCharacter }: Pick<TimedWord, "fromCharacter" | "toCharacter">): string {
    return this.#source.slice(fromCharacter, toCharacter);
  }
}
