// What a voice gets to speak.
import type { Mark } from "./read-text.ts";

/** One word that is said. Several words that stand for one written thing (`$5`) share its place. */
export interface PreparedWord {
  /** As it is said: small words, `A` and so on for the names of letters. */
  text: string;
  /** The name of a letter is said. */
  isLetter: boolean;
  /** Where what it stands for is written: characters (UTF-16) of the caller's text, the end exclusive. */
  fromCharacter: number;
  toCharacter: number;
  /** Where it starts in `PreparedSentence.spoken`. */
  spokenFrom: number;
  /** What is heard behind it. */
  mark: Mark | "";
}

/** A sentence, or a part of a long one. */
export interface PreparedSentence {
  /** As it was written, without markup, white space normalised. For captions. */
  text: string;
  /** As it is said, in one line: what a synthesiser that takes text should get. */
  spoken: string;
  words: PreparedWord[];
  /** Where it is written: characters of the caller's text, the end exclusive. */
  fromCharacter: number;
  toCharacter: number;
  /** The sentence is long and was cut here; its next part follows. */
  goesOn?: true;
}

/** The words of a sentence in one line, each with its place in it. `letterNames`: letters that a synthesiser would take
 *  for words, and how their names are written. */
export function spokenLine(
  words: readonly Omit<PreparedWord, "spokenFrom">[],
  letterNames: Readonly<Record<string, string>> = {},
): {
  spoken: string;
  words: PreparedWord[];
} {
  let spoken = "";
  const placed = words.map((word) => {
    if (spoken !== "") spoken += " ";
    const spokenFrom = spoken.length;
    const text = (word.isLetter && letterNames[word.text]) || word.text;
    spoken += word.mark === "—" ? `${text} —` : text + word.mark;
    return { ...word, spokenFrom };
  });
  return { spoken, words: placed };
}
