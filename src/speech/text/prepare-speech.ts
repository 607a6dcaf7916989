// Text as a voice gets it: sentence by sentence, each word as it is said, with its place in the caller's text.

import { speechLanguage } from "../languages/languages.ts";
import type { CleanText } from "./clean-text.ts";
import { BLOCK_END, cleanText } from "./markup.ts";
import { plainSentences } from "./plain-sentences.ts";
import { type PreparedSentence, spokenLine } from "./prepared-sentence.ts";
import { type Mark, readText } from "./read-text.ts";

/** Shorter sentences are spoken with the next one: very short ones sound clipped. */
export const SHORTEST_SENTENCE_CHARACTERS = 12;
/** Longer sentences are cut at a comma or space: bounds the wait for the first audio and the work of one request. */
export const LONGEST_SENTENCE_CHARACTERS = 280;
/** The same for the first one, for which the listener waits: 280 characters take a quarter of a second on a free
 *  machine, and much more beside other sessions. */
export const LONGEST_FIRST_CHARACTERS = 140;

const MARK_STRENGTH: Readonly<Record<Mark | "", number>> = {
  "": 0,
  ",": 1,
  "—": 2,
  ":": 3,
  ";": 4,
  ".": 5,
  "…": 6,
  "!": 7,
  "?": 8,
};

export interface PrepareOptions {
  /** Speak short sentences with the next one. Default true. */
  joinsShort?: boolean;
}

/** The sentences of a text in order, each made when it is requested; none if nothing in it can be said. In English,
 *  Spanish, German, French, Italian and Portuguese numbers, dates and the like become words; in other languages the
 *  synthesiser reads them. `language`: a BCP 47 tag. Takes time in proportion to the text, whatever is in it. Never
 *  throws. */
export function* prepareSpeech(
  text: string,
  language = "en",
  { joinsShort = true }: PrepareOptions = {},
): Generator<PreparedSentence> {
  const clean = cleanText(text);
  const table = speechLanguage(language);
  const shortest = joinsShort ? SHORTEST_SENTENCE_CHARACTERS : 1;
  if (!table) {
    yield* plainSentences(clean, language, shortest);
    return;
  }
  const builder = new SentenceBuilder(clean, table.letterNames);
  for (const item of readText(clean, table)) {
    if (item.kind === "words") {
      for (const { text: said, isLetter, pause } of item.said) {
        builder.add({ text: said, isLetter: isLetter === true, from: item.from, to: item.to, mark: pause ?? "" });
      }
      yield* builder.cutLong();
    } else if (item.kind === "mark") {
      builder.mark(item.mark, item.to);
      if (item.endsSentence) yield* builder.end(shortest);
    } else {
      builder.endBlock();
      yield* builder.end(shortest);
    }
  }
  yield* builder.end(1);
}

/** A word with its place in the clean text. */
interface CleanWord {
  text: string;
  isLetter: boolean;
  from: number;
  to: number;
  mark: Mark | "";
}

/** With the space behind it. The name of a letter takes as long as a short word. */
function spokenLength({ text, isLetter, mark }: CleanWord): number {
  return (isLetter ? 3 : text.length) + (mark === "—" ? 2 : mark.length) + 1;
}

class SentenceBuilder {
  readonly #clean: CleanText;
  readonly #letterNames: Readonly<Record<string, string>> | undefined;
  #words: CleanWord[] = [];
  #spokenLength = 0;
  /** Where the written text of the next sentence starts, in the clean text. */
  #from = 0;
  #to = 0;
  #isFirst = true;

  constructor(clean: CleanText, letterNames: Readonly<Record<string, string>> | undefined) {
    this.#clean = clean;
    this.#letterNames = letterNames;
  }

  add(word: CleanWord): void {
    this.#words.push(word);
    this.#spokenLength += spokenLength(word);
    this.#to = word.to;
  }

  /** A mark belongs to the word before it; of several the strongest counts. */
  mark(mark: Mark, to: number): void {
    const last = this.#words.at(-1);
    if (!last) return;
    if (MARK_STRENGTH[mark] > MARK_STRENGTH[last.mark]) {
      this.#spokenLength += mark.length - last.mark.length;
      last.mark = mark;
    }
    this.#to = to;
  }

  endBlock(): void {
    const last = this.#words.at(-1);
    if (last && MARK_STRENGTH[last.mark] < MARK_STRENGTH["."] && last.mark !== ":") last.mark = ".";
  }

  /** The sentence so far, if it is as long as `least` characters. */
  *end(least: number): Generator<PreparedSentence> {
    if (this.#words.length === 0 || this.#to - this.#words[0].from < least) return;
    yield this.#take(this.#words.length, this.#to);
  }

  /** Sentences that are cut off from one that has become too long. */
  *cutLong(): Generator<PreparedSentence> {
    for (;;) {
      const limit = this.#isFirst ? LONGEST_FIRST_CHARACTERS : LONGEST_SENTENCE_CHARACTERS;
      if (this.#spokenLength - 1 <= limit) return;
      const count = this.#cutWithin(limit);
      if (count === 0) return;
      yield { ...this.#take(count, this.#words[count - 1].to), goesOn: true };
    }
  }

  /** How many words to cut off: up to the last clause mark in the last two thirds, else as many as there is space for.
   *  What is written as one is not torn apart. */
  #cutWithin(limit: number): number {
    let length = 0;
    let [clause, space] = [0, 0];
    for (const [index, word] of this.#words.entries()) {
      length += spokenLength(word);
      if (length - 1 > limit) break;
      const next = this.#words[index + 1];
      if (!next || next.from === word.from) continue;
      space = index + 1;
      if (word.mark !== "" && length > limit / 3) clause = index + 1;
    }
    if (clause || space) return clause || space;
    const one = this.#words.findIndex((word) => word.from !== this.#words[0].from);
    return Math.max(0, one);
  }

  #take(count: number, to: number): PreparedSentence {
    const taken = this.#words.splice(0, count);
    const said = taken.map(({ text, isLetter, from, to, mark }) => ({
      text,
      isLetter,
      fromCharacter: this.#clean.startOf(from),
      toCharacter: this.#clean.endOf(to),
      mark,
    }));
    const next = this.#words[0];
    const end = next ? Math.min(this.#markEnd(to), next.from) : to;
    const written = this.#clean.text.slice(this.#from, end);
    const start = this.#from + (written.length - written.trimStart().length);
    this.#from = end;
    this.#isFirst = false;
    this.#spokenLength = this.#words.reduce((sum, word) => sum + spokenLength(word), 0);
    return {
      text: written.replaceAll(BLOCK_END, " ").replace(/\s+/g, " ").trim(),
      ...spokenLine(said, this.#letterNames),
      fromCharacter: this.#clean.startOf(start),
      toCharacter: this.#clean.endOf(end),
    };
  }

  /** Behind the marks that follow a word. */
  #markEnd(to: number): number {
    return to + (/^["'”’»)\]]*[,;:.!?…—–]*["'”’»)\]]*/.exec(this.#clean.text.slice(to, to + 20))?.[0].length ?? 0);
  }
}
