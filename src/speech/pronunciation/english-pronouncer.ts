// English text to phonemes: Misaki's dictionary and rules, parts of speech where they decide, guesses for the rest.
import type { PreparedSentence, PreparedWord } from "../text/prepared-sentence.ts";
import type { Mark } from "../text/read-text.ts";
import type { Accent } from "./endings.ts";
import { type GuessWord, loadGuesser } from "./guess-word.ts";
import { Lexicon, type SpeechPart } from "./lexicon.ts";
import { type LineWord, loadTagger, type TagWords } from "./parts-of-speech.ts";
import { type Behind, findEntry, type PronounceOptions, pronounceLetters, pronounceWord } from "./pronounce-word.ts";
import { VOWEL } from "./stress.ts";

/** A word as it sounds. */
export interface PronouncedWord {
  /** As it is said: `three`, `FBI`. */
  text: string;
  /** In Misaki's letters as Kokoro 1.0 was trained with them: IPA, one letter for a diphthong (A I O Q W Y) or an
   *  affricate (ʤ ʧ), T for a tap, ᵊ and ᵻ for weak vowels, ˈ and ˌ before the vowel they stress. */
  phonemes: string;
  /** Where it is written: characters (UTF-16) of the caller's text, the end exclusive. */
  fromCharacter: number;
  toCharacter: number;
  /** What is heard behind it. */
  mark: Mark | "";
}

/** Most guesses that are kept. */
const MOST_GUESSES = 2000;
const MARKS_WITHOUT_PAUSE = /^[,;:.!?—…]$/;

/** Finds the phonemes of sentences. Holds the dictionary (5 MB); tagger and guesser are loaded when a sentence needs
 *  them. */
export class EnglishPronouncer {
  readonly #options: PronounceOptions;
  readonly #guesses = new Map<string, string>();
  #guesser: GuessWord | undefined;
  #tagger: Promise<TagWords> | undefined;

  /** Use `load`. */
  constructor(lexicon: Lexicon, accent: Accent) {
    this.#options = { lexicon, accent, guess: (word) => this.#guess(word) };
  }

  /** Rejects if the dictionary is missing. */
  static async load(accent: Accent = "american"): Promise<EnglishPronouncer> {
    return new EnglishPronouncer(await Lexicon.load(accent), accent);
  }

  /** The words of a sentence with their phonemes, in order. Letters of one acronym become one word, words with a hyphen
   *  several; words without a sound in English (other scripts) are left out. */
  async pronounce({ words }: Pick<PreparedSentence, "words">): Promise<PronouncedWord[]> {
    const parts = words.flatMap((word) => partsOfHyphenated(word));
    const tags = await this.#tag(parts);
    const pronounced: PronouncedWord[] = [];
    let behind: Behind = "pause";
    for (let index = parts.length - 1; index >= 0; index--) {
      const word = parts[index];
      if (MARKS_WITHOUT_PAUSE.test(word.mark)) behind = "pause";
      const letters = lettersEndingAt(parts, index);
      const phonemes: string =
        letters > 0
          ? pronounceLetters(
              parts.slice(index - letters + 1, index + 1).map(({ text }) => text),
              this.#options,
            )
          : pronounceWord(word.text, { behind, parts: tags[index] ?? [] }, this.#options);
      const first = letters > 0 ? index - letters + 1 : index;
      const text = parts
        .slice(first, index + 1)
        .map((part) => part.text)
        .join("");
      index = first;
      if (phonemes === "") continue;
      behind = VOWEL.test(phonemes.replace(/[ˈˌ]/gu, "")[0]) ? "vowel" : "consonant";
      const { fromCharacter, toCharacter, mark } = word;
      pronounced.push({ text, phonemes: forNetwork(phonemes), fromCharacter, toCharacter, mark });
    }
    return pronounced.reverse();
  }

  /** The tagger is needed for words that sound otherwise as another part of speech. */
  async #tag(words: readonly PreparedWord[]): Promise<SpeechPart[][]> {
    const { lexicon } = this.#options;
    const isNeeded = words.some(({ text, isLetter }) => {
      if (isLetter) return false;
      const parts = [text, text.replace(/(?:s|ed|d|ing)$/, "")]
        .filter(Boolean)
        .map((form) => findEntry(lexicon, form)?.parts);
      return parts.some((known) => known && Object.keys(known).some((part) => part !== "END"));
    });
    if (!isNeeded) return [];
    this.#tagger ??= loadTagger();
    const tagger = await this.#tagger;
    let line = "";
    const placed: LineWord[] = words.map(({ text, mark }) => {
      const from = line.length;
      line += `${text}${mark} `;
      return { text, from };
    });
    return tagger(line, placed);
  }

  #guess(word: string): string {
    const known = this.#guesses.get(word);
    if (known !== undefined) return known;
    if (!/[a-z]/i.test(word)) return "";
    this.#guesser ??= loadGuesser();
    const guessed = this.#guesser(word);
    if (this.#guesses.size >= MOST_GUESSES) this.#guesses.clear();
    this.#guesses.set(word, guessed);
    return guessed;
  }
}

/** `twenty-four` is said as two words. */
function partsOfHyphenated(word: PreparedWord): PreparedWord[] {
  const parts = word.text.split("-").filter(Boolean);
  if (parts.length < 2) return [word];
  return parts.map((text, index) => ({ ...word, text, mark: index === parts.length - 1 ? word.mark : "" }));
}

/** How many letters of one acronym end at `index`: 0 if the word there is no letter. */
function lettersEndingAt(words: readonly PreparedWord[], index: number): number {
  let count = 0;
  for (let at = index; at >= 0; at--) {
    const isSame = words[at].isLetter && words[at].fromCharacter === words[index].fromCharacter;
    if (!isSame || (at < index && (words[at].mark !== "" || words[at].text.length > 1))) break;
    count++;
  }
  return count;
}

/** Kokoro 1.0 writes a tap as T and knows no glottal stop. Source: Misaki 0.9.4, `G2P` without `version`. */
function forNetwork(phonemes: string): string {
  return phonemes.replaceAll("ɾ", "T").replaceAll("ʔ", "t");
}
