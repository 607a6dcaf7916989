// Words as they are said.

/** One word that a voice says. */
export interface SaidWord {
  text: string;
  /** The name of a letter is said, not the word that looks like it: the A of `API`. */
  isLetter?: true;
  /** A short pause comes after it. */
  pause?: ",";
}

/** The words of a phrase of ours. A comma behind a word is a pause; a capital alone is a letter: `P M`. */
export function say(phrase: string): SaidWord[] {
  return phrase
    .split(" ")
    .filter((word) => word !== "" && word !== ",")
    .map((word): SaidWord => {
      if (word.endsWith(",")) return { text: word.slice(0, -1), pause: "," };
      return /^\p{Lu}$/u.test(word) ? { text: word, isLetter: true } : { text: word };
    });
}

/** Each letter by its name, in capitals. */
export function spell(letters: string): SaidWord[] {
  return [...letters.toUpperCase()].map((text) => ({ text, isLetter: true }));
}

/** The same words with a pause behind the last one. */
export function withPause(words: readonly SaidWord[]): SaidWord[] {
  return words.map((word, index) => (index === words.length - 1 ? { ...word, pause: "," } : word));
}
