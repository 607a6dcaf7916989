// The words of a text as a search without a language model compares them: by their stems, without those that say
// nothing. Only English words have stems of a grammar, and neighbours that mean the same.
import { languageOf, primaryLanguage } from "../../speech/languages/languages.ts";
import { englishGroups, englishStem, isEmptyEnglishWord, isWeakEnglishStem } from "./english-words.ts";
import { withoutPhrases } from "./plain-words.ts";

/** In other languages words are compared by their beginning, and shorter ones are left out. */
const BEGINNING = 6;
const SHORTEST = 4;

export class DocumentWords {
  readonly #isEnglish: boolean;
  readonly #frequent: ReadonlySet<string>;

  /** `language`: a BCP 47 tag. */
  constructor(language: string) {
    this.#isEnglish = primaryLanguage(language) === "en";
    this.#frequent = languageOf(language)?.frequentWords ?? new Set();
  }

  /** Stems of the words that say something, in order. */
  stems(text: string): string[] {
    const plain = (this.#isEnglish ? withoutPhrases(text) : text.toLowerCase()).replaceAll("’", "'");
    const words = plain.match(/[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu) ?? [];
    return words.flatMap((word) => {
      const [whole] = word.split("'");
      return this.#isEnglish ? englishStems(whole) : this.#beginning(whole);
    });
  }

  /** Whether a word stands in so many questions that it says little. */
  isWeak(stem: string): boolean {
    return this.#isEnglish && isWeakEnglishStem(stem);
  }

  /** Numbers of the groups of words that mean the same as this one. */
  groups(stem: string): readonly number[] {
    return this.#isEnglish ? englishGroups(stem) : [];
  }

  #beginning(word: string): string[] {
    const isShort = word.length < SHORTEST && !/\p{N}/u.test(word);
    return isShort || this.#frequent.has(word) ? [] : [word.slice(0, BEGINNING)];
  }
}

function englishStems(word: string): string[] {
  const joined = englishStem(word.replaceAll("-", ""));
  if (word.includes("-") && englishGroups(joined).length > 0) return [joined];
  const parts = word.split("-").filter((part) => part !== "" && !isEmptyEnglishWord(part));
  return parts.map(englishStem);
}
