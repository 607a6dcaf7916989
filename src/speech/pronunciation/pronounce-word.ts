// The phonemes of one English word.
import { type Accent, withEnding, withS } from "./endings.ts";
import type { GuessWord } from "./guess-word.ts";
import type { Lexicon, LexiconEntry, SpeechPart } from "./lexicon.ts";
import { withStress } from "./stress.ts";

/** What a word stands before: a vowel, a consonant, or a pause. */
export type Behind = "vowel" | "consonant" | "pause";

export interface WordContext {
  behind: Behind;
  /** The parts of speech that it may be, the likeliest first. */
  parts: readonly SpeechPart[];
}

export interface PronounceOptions {
  lexicon: Lexicon;
  accent: Accent;
  /** For words that are not listed. */
  guess: GuessWord;
}

/** What the dictionary lacks. */
const MORE_ENTRIES: Readonly<Record<string, LexiconEntry>> = Object.freeze({
  wound: { phonemes: "wˈund", parts: { VBD: "wˈWnd", VBN: "wˈWnd" } },
});
/** Of words that are made of two listed ones, the shorter part has at least this many letters. */
const SHORTEST_PART = 3;
const REPEATED = /([a-z])\1{2,}/g;

/** The entry of a word in any of its spellings; undefined if none is listed. */
export function findEntry(lexicon: Lexicon, word: string): LexiconEntry | undefined {
  const lower = word.toLowerCase();
  if (Object.hasOwn(MORE_ENTRIES, lower)) return MORE_ENTRIES[lower];
  return lexicon.find(word) ?? lexicon.find(lower) ?? lexicon.find(word[0].toUpperCase() + lower.slice(1));
}

/** The phonemes of a word, never empty for a word with a letter of the Latin alphabet. */
export function pronounceWord(word: string, context: WordContext, options: PronounceOptions): string {
  const { lexicon, accent, guess } = options;
  const special = ofFunctionWord(word, context.behind);
  if (special) return special;
  const plain = word.normalize("NFD").replace(/\p{M}/gu, "");
  for (const form of new Set([word, plain, plain.replace(REPEATED, "$1$1"), plain.replace(REPEATED, "$1")])) {
    const listed = form && (ofEntry(findEntry(lexicon, form), context) ?? ofStem(form, context, options));
    // A capital lends a side stress to words that have none: `And`.
    if (listed) return /^\p{Lu}/u.test(word) ? withStress(listed, "some") : listed;
  }
  const stem = plain.replace(/'s$|'$/, "");
  const compound = ofCompound(stem.toLowerCase(), context, lexicon);
  const guessed = compound ?? inAccent(guess(stem.replace(/[^A-Za-z']/g, "")), accent);
  return stem.length < plain.length && plain.endsWith("s") ? withS(guessed, accent) : guessed;
}

/** Guesses are American. A British r sounds only before a vowel. */
function inAccent(phonemes: string, accent: Accent): string {
  if (accent === "american") return phonemes;
  const long = phonemes.replaceAll("ɜɹ", "ɜːɹ").replaceAll("O", "Q").replaceAll("ɾ", "t").replaceAll("ᵻ", "ɪ");
  return long.replace(/ɹ(?![ˈˌ]?[AIOQWYaiuæɑɒɔəɛɜɪʊʌ])/gu, "").replaceAll("æ", "a");
}

/** Letters by their names, the last one stressed: `F B I`. */
export function pronounceLetters(letters: readonly string[], { lexicon, accent }: PronounceOptions): string {
  const names = letters.map((letter) => lexicon.find(letter[0])?.phonemes ?? "");
  const joined = names.map((name) => withStress(withStress(name, "weaker"), "some")).join("");
  const last = joined.lastIndexOf("ˌ");
  const stressed = last < 0 ? joined : `${joined.slice(0, last)}ˈ${joined.slice(last + 1)}`;
  return letters.at(-1)?.endsWith("'s") ? withS(stressed, accent) : stressed;
}

/** Words with a sound that the next one decides. Source: Misaki 0.9.4. */
function ofFunctionWord(word: string, behind: Behind): string | undefined {
  switch (word.toLowerCase()) {
    case "the":
      return behind === "vowel" ? "ði" : "ðə";
    case "to":
      return behind === "pause" ? "tu" : behind === "vowel" ? "tʊ" : "tə";
    case "a":
      return "ɐ";
    case "an":
      return "ɐn";
    case "am":
      return behind === "pause" ? "æm" : "ɐm";
    case "in":
      return behind === "pause" ? "ˈɪn" : "ɪn";
    case "i":
      return "ˌI";
    default:
      return undefined;
  }
}

function ofEntry(entry: LexiconEntry | undefined, { behind, parts }: WordContext): string | undefined {
  if (!entry?.parts) return entry?.phonemes;
  if (behind === "pause" && entry.parts.END) return entry.parts.END;
  const part = parts.find((name) => entry.parts?.[name] !== undefined);
  return (part && entry.parts[part]) ?? entry.phonemes;
}

function ofStem(word: string, context: WordContext, { lexicon, accent }: PronounceOptions): string | undefined {
  const inside = { ...context, behind: "consonant" as const };
  return withEnding(word, (stem) => (stem === "" ? undefined : ofEntry(findEntry(lexicon, stem), inside)), accent);
}

/** Two listed words in one, the first as long as possible: `healthcheck`. */
function ofCompound(word: string, context: WordContext, lexicon: Lexicon): string | undefined {
  if (word.length > 30) return undefined;
  for (let cut = word.length - SHORTEST_PART; cut >= SHORTEST_PART; cut--) {
    const first = ofEntry(lexicon.find(word.slice(0, cut)), { ...context, behind: "consonant" });
    const second = first && ofEntry(lexicon.find(word.slice(cut)), context);
    if (first && second) return first + withStress(second, "weaker");
  }
  return undefined;
}
