// Maps phonemes to mouth shapes, for the languages of the built-in voices.
import type { Viseme } from "./visemes.ts";

/** IPA letters of each class. Rounded front vowels are classed by their rounding. Uvular and pharyngeal sounds are not
 *  visible. */
const LETTERS: Partial<Record<Viseme, string>> = {
  PP: "p b m ɓ ʙ",
  FF: "f v ɱ ʋ ɸ β",
  TH: "θ ð",
  DD: "t d ɾ ʈ ɖ ɗ",
  kk: "k g ɡ ɣ c ɟ q ɢ ɠ ʁ ʀ ɰ",
  CH: "ʃ ʒ ɕ ʑ ʂ ʐ ɧ",
  SS: "s z",
  nn: "n l ŋ ɲ ɳ ɴ ɫ ɭ ʎ ɬ ɮ ʟ",
  RR: "r ɹ ɻ ɽ ɚ ɝ",
  aa: "a ɑ æ ɐ ʌ",
  E: "e ɛ ε ə ɘ ɜ ɤ",
  I: "i ɪ ɨ ɯ ᵻ j",
  O: "o ɔ ɒ œ ø ɵ ɞ",
  U: "u ʊ w y ʏ ʉ ɥ ʍ",
};

const VISEME_OF_LETTER = new Map(
  Object.entries(LETTERS).flatMap(([viseme, letters]) =>
    letters.split(" ").map((letter) => [letter, viseme as Viseme]),
  ),
);

/** Affricates have two letters but one shape. */
const AFFRICATES = /[td](?=[szʃʒɕʑʂʐ])/gu;

/** The shapes of one phoneme in order of time: `aɪ` gives aa and I, `ɔːɹ` gives O and RR. Stress, length, tone and
 *  other marks are ignored. Returns `sil` for an empty symbol, which is a pause, and no shape for sounds that are not
 *  visible (h, glottal stops) and for remarks in brackets. Never throws. */
export function visemesOfIpa(symbol: string): Viseme[] {
  if (symbol.trim() === "") return ["sil"];
  if (symbol.startsWith("(")) return [];
  const visemes: Viseme[] = [];
  for (const letter of symbol.normalize("NFD").replaceAll("\u0361", "").replace(AFFRICATES, "")) {
    const viseme = VISEME_OF_LETTER.get(letter);
    if (viseme && viseme !== visemes.at(-1)) visemes.push(viseme);
  }
  return visemes;
}
