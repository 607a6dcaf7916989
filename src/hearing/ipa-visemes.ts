// Which mouth shapes a phoneme is made of, for the languages that the built-in voices speak.
import type { Viseme } from "./visemes.ts";

/** IPA letters of each class. Rounded front vowels go with their rounding; uvular and pharyngeal sounds are made out
 *  of sight. */
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

/** Affricates sound as two letters and are one shape. */
const AFFRICATES = /[td](?=[szʃʒɕʑʂʐ])/gu;

/** The shapes of one phoneme in order of time: `aɪ` gives aa and I, `ɔːɹ` gives O and RR. Stress, length, tone and
 *  other marks do not count. `sil` for an empty symbol, which is a pause; none for sounds that the mouth shows nothing
 *  of (h, glottal stops) and for remarks in brackets. Never throws. */
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
