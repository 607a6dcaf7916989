// Ends an answer that does not end by itself.

/** How much longer than its limit an answer may get, until its sentence ends. */
const FURTHER_CHARACTERS = 400;
/** The end of a sentence: its mark with closing signs, seen by the space behind them. */
const SENTENCE_END = /[.!?…]["'”’»)\]*_]*(?=\s)|[。！？]|\n/g;
/** The longest end that can lie at the end of one text, with its space in the next. */
const KEPT_CHARACTERS = 6;

/** The length of one answer, over all of its requests. */
export class AnswerLength {
  readonly #limit: number;
  #length = 0;
  /** The end of the text before. */
  #last = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What of the text may be said; `isFull` when the answer ends with it: with the first sentence that ends beyond the
   *  limit, and before a word if no sentence ends soon. */
  take(text: string): { text: string; isFull: boolean } {
    const from = this.#length;
    const last = this.#last;
    this.#length += text.length;
    this.#last = (last + text).slice(-KEPT_CHARACTERS);
    if (this.#length <= this.#limit) return { text, isFull: false };
    SENTENCE_END.lastIndex = last.length + Math.max(-last.length, this.#limit - from);
    const match = SENTENCE_END.exec(last + text);
    if (match) {
      const end = match.index + match[0].length - last.length;
      return { text: text.slice(0, Math.max(0, end)), isFull: true };
    }
    const most = this.#limit + FURTHER_CHARACTERS - from;
    if (text.length <= most) return { text, isFull: false };
    const space = text.lastIndexOf(" ", Math.max(0, most));
    return { text: text.slice(0, Math.max(0, space)), isFull: true };
  }
}
