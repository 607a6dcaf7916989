// Finds event handlers in markup (`<img src=x onerror=…`) in one pass over the bytes.

const LESS = 0x3c;
const GREATER = 0x3e;
const EQUALS = 0x3d;
const LETTER_O = 0x6f;
const LETTER_N = 0x6e;
/** Limit of characters between the start of a tag and its handler. */
const TAG_CHARACTERS = 202;
/** Letters of a handler's name after `on`. */
const NAME_MIN = 3;
const NAME_MAX = 20;

/** The next expected part of a handler; `start`: white space and an `o`. */
type Expected = "start" | "n" | "name" | "equals";

/** Scans a text in chunks, with a constant cost per byte whatever the text contains. A regular expression would scan
 *  the same characters again from every `<`. */
export class EventHandlerFinder {
  #position = 0;
  #previous = 0;
  /** Position of the last `<` that is followed by a letter, unless a `>` came after it. */
  #tagAt = -1;
  #expected: Expected = "start";
  /** Position of the white space before the handler that is being read. */
  #handlerAt = 0;
  #nameLength = 0;

  /** True if a handler ends in this chunk. NUL bytes are skipped, so that UTF-16 is scanned too. */
  push(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (byte === 0) continue;
      if (this.#isEndOfHandler(byte)) return true;
      this.#previous = byte;
      this.#position++;
    }
    return false;
  }

  #isEndOfHandler(byte: number): boolean {
    const letter = byte | 0x20;
    const isLetter = letter >= 0x61 && letter <= 0x7a;
    if (isLetter && this.#previous === LESS) this.#tagAt = this.#position - 1;
    else if (byte === GREATER) this.#tagAt = -1;
    const isNamed = this.#expected === "name" && this.#nameLength >= NAME_MIN;
    if (byte === EQUALS && (isNamed || this.#expected === "equals")) {
      this.#expected = "start";
      return this.#tagAt >= 0 && this.#handlerAt - this.#tagAt <= TAG_CHARACTERS;
    }
    if (isSpace(byte)) this.#expected = isNamed || this.#expected === "equals" ? "equals" : "start";
    else if (letter === LETTER_O && isSpace(this.#previous)) {
      this.#expected = "n";
      this.#handlerAt = this.#position - 1;
      this.#nameLength = 0;
    } else if (letter === LETTER_N && this.#expected === "n") this.#expected = "name";
    else if (isLetter && this.#expected === "name" && this.#nameLength < NAME_MAX) this.#nameLength++;
    else this.#expected = "start";
    return false;
  }
}

/** White space as in `\s` of a Latin-1 text. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xa0;
}
