// Takes the thoughts out of an answer of a server that leaves them in the text: `<think>…</think>` at its beginning.

const OPENING = /^<(think|thinking|thought|reasoning)>/i;
const OPENINGS = ["<think>", "<thinking>", "<thought>", "<reasoning>"];
/** The longest closing tag, less one character. */
const HELD_CHARACTERS = "</reasoning>".length - 1;

/** Filters one answer. */
export class ThoughtFilter {
  #held = "";
  /** The tag that ends the thoughts; undefined outside of them. */
  #closing: RegExp | undefined;
  #hasBegun = false;

  /** Whether the model has not begun to speak. */
  get isThinking(): boolean {
    return this.#closing !== undefined;
  }

  /** Takes text as it arrives and returns what of it may be said by now. The answer's leading spaces are dropped. */
  push(text: string): string {
    if (this.#hasBegun) return text;
    this.#held += text;
    while (this.#hasDropped()) if (this.#held === "") return "";
    if (this.#closing || this.#mayBeOpening()) return "";
    return this.#begin();
  }

  /** The end of the answer: what was held back because a tag could have begun there. */
  end(): string {
    return this.#closing ? "" : this.#begin();
  }

  #begin(): string {
    const text = this.#held;
    this.#held = "";
    this.#hasBegun = text !== "";
    return text;
  }

  /** Drops spaces, a tag, or thoughts from the beginning; false if there are none, or no complete tag yet. */
  #hasDropped(): boolean {
    if (this.#closing) {
      const closing = this.#closing.exec(this.#held);
      if (!closing) {
        this.#held = this.#held.slice(-HELD_CHARACTERS);
        return false;
      }
      this.#held = this.#held.slice(closing.index + closing[0].length).trimStart();
      this.#closing = undefined;
      return true;
    }
    this.#held = this.#held.trimStart();
    const opening = OPENING.exec(this.#held);
    if (!opening) return false;
    this.#closing = new RegExp(`</${opening[1]}>`, "i");
    this.#held = this.#held.slice(opening[0].length);
    return true;
  }

  #mayBeOpening(): boolean {
    const start = this.#held.toLowerCase();
    return OPENINGS.some((opening) => opening.startsWith(start));
  }
}
