// Sounds of words that no dictionary lists.
import { createRequire } from "node:module";
import { VOWEL } from "./stress.ts";

/** The phonemes of an unlisted word, in Misaki's letters. */
export type GuessWord = (word: string) => string;

/** Of International to Misaki's letters, in this order. */
const LETTERS: readonly (readonly [from: string, to: string])[] = [
  ["tʃ", "ʧ"],
  ["dʒ", "ʤ"],
  ["eɪ", "A"],
  ["aɪ", "I"],
  ["aʊ", "W"],
  ["ɔɪ", "Y"],
  ["oʊ", "O"],
  ["ɝ", "ɜɹ"],
  ["ɚ", "əɹ"],
  ["ɫ", "l"],
  ["r", "ɹ"],
  ["g", "ɡ"],
  ["ː", ""],
];
const KNOWN = /[^AIOWYbdfhijklmnpstuvwzæðŋɑɔəɛɜɡɪɹɾʃʊʌʒʤʧˈˌθᵊᵻ]/gu;
const STRESS_BEFORE_CONSONANTS = /([ˈˌ])([^AIOQWYaiuæɑɒɔəɐɛɜɪʊʌᵻˈˌ]+)/gu;

/** Loads `phonemize` (47 MB), which learnt its rules from English words. */
export function loadGuesser(): GuessWord {
  // Its module for `import` cannot be loaded by Node 20: it imports JSON without an attribute.
  const { toIPA } = createRequire(import.meta.url)("phonemize") as { toIPA: (text: string) => string };
  return (word) => fromIpa(toIPA(word.toLowerCase()));
}

/** IPA in Misaki's letters, with the stress before the vowel and not the syllable, and at least one stress. */
function fromIpa(ipa: string): string {
  let phonemes = ipa.normalize("NFD");
  for (const [from, to] of LETTERS) phonemes = phonemes.replaceAll(from, to);
  phonemes = phonemes.replace(KNOWN, "").replace(STRESS_BEFORE_CONSONANTS, "$2$1");
  return phonemes.includes("ˈ") ? phonemes : phonemes.replace(VOWEL, "ˈ$&");
}
