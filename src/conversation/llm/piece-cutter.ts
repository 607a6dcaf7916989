// Cuts an answer into pieces that a voice can speak while the model still writes: the first clause, then sentences.
import { speechLanguage } from "../../speech/languages/languages.ts";
import type { SpeechLanguage } from "../../speech/languages/reading/speech-language.ts";
import { leadingTagLength } from "../../speech/text/expression-tags.ts";
import { cleanText } from "../../speech/text/markup.ts";
import {
  LONGEST_FIRST_CHARACTERS,
  LONGEST_SENTENCE_CHARACTERS,
  SHORTEST_SENTENCE_CHARACTERS,
} from "../../speech/text/prepare-speech.ts";
import { readText } from "../../speech/text/read-text.ts";
import { endsInMarkup } from "./open-markup.ts";

/** Marks of scripts that are written without spaces. */
const WIDE_MARK = /[。！？，、；：]/;
/** Signs and spaces behind a mark that belong to its piece. */
const BEHIND_MARK = /["'”’»」』)\]*_~`]*\s*/y;
const BLANK_LINE = /\n[ \t]*\n$/;
/** Short forms with a point, in languages without a table of them: initials, numbers, titles. */
const SHORT_FORM = /(?:^|[^\p{L}\p{N}])(?:\p{L}{1,2}|\p{N}+|dr|prof|ing|mgr|inż|str|tel|art)\.$/iu;

/** Cuts one answer. The pieces are parts of it: joined, they are the answer. Where it is cut depends neither on how the
 *  text arrives nor on the tag of an expression that it begins with. */
export class PieceCutter {
  readonly #language: SpeechLanguage | undefined;
  #rest = "";
  /** How much of the rest was looked at. */
  #seen = 0;
  #isFirst = true;
  /** Of the expression that the answer begins with; empty without one. It is given out with the first piece. */
  #tag = "";

  /** `language`: a BCP 47 tag. */
  constructor(language = "en") {
    this.#language = speechLanguage(language);
  }

  /** Takes text as it arrives and returns the pieces that are complete with it. A piece is complete when the word
   *  behind it is: `St.` may end a sentence or not. Never throws. */
  push(text: string): string[] {
    const pieces: string[] = [];
    this.#rest += text;
    if (this.#isFirst && this.#tag === "") this.#keepTag();
    while (this.#seen < this.#rest.length) {
      this.#seen += 1;
      if (!this.#isWordEnd()) continue;
      const end = this.#cutWithin(this.#rest.slice(0, this.#seen));
      if (end > 0) pieces.push(this.#take(end));
    }
    return pieces;
  }

  /** The end of the answer: what is left. */
  end(): string[] {
    return this.#rest.trim() === "" ? [] : [this.#take(this.#rest.length)];
  }

  #keepTag(): void {
    const length = leadingTagLength(this.#rest);
    this.#tag = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    this.#seen = Math.max(0, this.#seen - length);
  }

  #take(end: number): string {
    const piece = this.#tag + this.#rest.slice(0, end);
    this.#tag = "";
    this.#rest = this.#rest.slice(end);
    this.#seen = Math.max(0, this.#seen - end);
    this.#isFirst = false;
    return piece;
  }

  /** Whether a cut may be possible now and was not before. */
  #isWordEnd(): boolean {
    const [before, last] = [this.#rest[this.#seen - 2] ?? " ", this.#rest[this.#seen - 1]];
    return last === "\n" || (/\s/.test(last) && !/\s/.test(before)) || WIDE_MARK.test(before);
  }

  /** Where to cut a text that goes on behind its last mark; 0 if not yet. */
  #cutWithin(text: string): number {
    if (BLANK_LINE.test(text) && text.trim() !== "" && !endsInMarkup(text)) return text.length;
    const longest = this.#isFirst ? LONGEST_FIRST_CHARACTERS : LONGEST_SENTENCE_CHARACTERS;
    const clean = cleanText(text);
    /** Where the last item ends, in the clean text. */
    let to = 0;
    /** Where the text may be cut if it gets too long. */
    let clause = 0;
    let space = 0;
    for (const item of readText(clean, this.#language)) {
      if (item.kind === "words") {
        if (item.to <= longest) space = wordEnd(text, clean.endOf(to)) || space;
        to = item.to;
        continue;
      }
      if (item.kind === "mark") to = item.to;
      const sentence = clean.text.slice(0, to).trim();
      if (sentence.length < SHORTEST_SENTENCE_CHARACTERS) continue;
      if (item.kind === "mark" && item.mark === "." && this.#isShortForm(sentence)) continue;
      const end = markEnd(text, clean.endOf(to));
      if (end === 0) continue;
      if (this.#isFirst || item.kind === "block-end" || item.endsSentence) return end;
      if (to <= longest && to > longest / 3) clause = end;
    }
    return to > longest ? clause || space : 0;
  }

  /** Languages with a table have read their short forms by now. */
  #isShortForm(sentence: string): boolean {
    return this.#language === undefined && SHORT_FORM.test(sentence);
  }
}

/** Behind a mark that ends at `at`, with what belongs to it; 0 if it stands within a word, at the end of what has
 *  arrived, or within markup. */
function markEnd(text: string, at: number): number {
  const end = wordEnd(text, at);
  return text.slice(end).trim() !== "" && !endsInMarkup(text.slice(0, end)) ? end : 0;
}

/** Behind the signs and spaces that follow what ends at `at`; 0 if a word goes on there. */
function wordEnd(text: string, at: number): number {
  BEHIND_MARK.lastIndex = at;
  const behind = BEHIND_MARK.exec(text)?.[0] ?? "";
  return /\s/.test(behind) || WIDE_MARK.test(text[at - 1] ?? "") ? at + behind.length : 0;
}
