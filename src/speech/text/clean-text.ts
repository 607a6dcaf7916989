// Text without its markup, and where each of its characters stood in the text of the caller.

/** What is left of a text to be read, with the way back to the original. */
export interface CleanText {
  text: string;
  /** Position in the original of the character at `index` (0..text.length). */
  startOf(index: number): number;
  /** Position in the original behind the character before `index` (1..text.length). */
  endOf(index: number): number;
}

/** Builds a clean text from left to right, from pieces of the original. Memory grows with the number of pieces, not of
 *  characters. */
export class CleanTextBuilder {
  readonly #original: string;
  readonly #parts: string[] = [];
  /** Per piece: where it starts in the clean text, and where it starts and ends in the original. */
  readonly #cleanStarts: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #length = 0;
  #last = "";

  constructor(original: string) {
    this.#original = original;
  }

  /** The last character so far; empty at the beginning. */
  get last(): string {
    return this.#last;
  }

  /** Takes over the characters `from` to `to` (exclusive) of the original. */
  keep(from: number, to: number): void {
    if (to > from) this.#add(this.#original.slice(from, to), from, to);
  }

  /** Adds `text` in place of the characters `from` to `to` (exclusive) of the original. */
  replace(text: string, from: number, to: number): void {
    if (text !== "") this.#add(text, from, to);
  }

  build(): CleanText {
    const [cleanStarts, starts, ends] = [this.#cleanStarts, this.#starts, this.#ends];
    const lengths = this.#parts.map((part) => part.length);
    const pieceAt = (index: number) => {
      let low = 0;
      let high = cleanStarts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (cleanStarts[middle] <= index) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    const isKept = (piece: number) => ends[piece] - starts[piece] === lengths[piece];
    return {
      text: this.#parts.join(""),
      startOf: (index) => {
        if (index >= this.#length) return this.#original.length;
        const piece = pieceAt(index);
        return isKept(piece) ? starts[piece] + index - cleanStarts[piece] : starts[piece];
      },
      endOf: (index) => {
        if (index <= 0 || this.#length === 0) return 0;
        const piece = pieceAt(index - 1);
        return isKept(piece) ? starts[piece] + index - cleanStarts[piece] : ends[piece];
      },
    };
  }

  #add(text: string, from: number, to: number): void {
    this.#parts.push(text);
    this.#cleanStarts.push(this.#length);
    this.#starts.push(from);
    this.#ends.push(to);
    this.#length += text.length;
    this.#last = text[text.length - 1];
  }
}
