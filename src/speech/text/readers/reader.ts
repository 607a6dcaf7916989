// A reader says one kind of thing: dates, money, web addresses. Readers are asked in turn at the start of each word.
import type { SpeechLanguage } from "../../languages/reading/speech-language.ts";
import type { SaidWord } from "../said.ts";

/** Where the reading stands. */
export interface ReadingPlace {
  /** The whole clean text. */
  text: string;
  at: number;
  language: SpeechLanguage;
  /** The written word before, in lower case; empty at the start of a sentence. */
  before: string;
}

/** What a reader makes of the text at a place. */
export interface Reading {
  /** Characters of the text that it covers, at least 1. */
  length: number;
  said: SaidWord[];
  /** A dash behind it and another number mean "to". */
  isNumber?: true;
  /** It ends with the point of an abbreviation. That point may end the sentence too: `at 3 p.m.` */
  point?: "inside" | "may-end" | "initial";
}

/** Returns nothing if the text at this place is not its kind. Looks only a limited number of characters ahead. */
export type Reader = (place: ReadingPlace) => Reading | undefined;

/** The match of a sticky pattern at a place. */
export function matchAt(pattern: RegExp, { text, at }: ReadingPlace): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** True if a letter or digit stands at `index`. */
export function isWordAt(text: string, index: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[index] ?? "");
}

/** The next word behind `index`, spaces skipped, with its capital; empty if there is none nearby. */
export function wordBehind(text: string, index: number): string {
  return /^\s{0,4}["'“‘(]{0,2}([\p{L}\p{M}']{1,30})/u.exec(text.slice(index, index + 40))?.[1] ?? "";
}
