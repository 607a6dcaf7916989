// The languages of the neural voice.
import type { NeuralLanguage } from "../../languages/language.ts";
import { LANGUAGE_CODES, LANGUAGES, type LanguageCode, languageOf } from "../../languages/languages.ts";

/** ISO 639-1 codes of the languages. */
export const NEURAL_LANGUAGES: readonly LanguageCode[] = Object.freeze(
  LANGUAGE_CODES.filter((code) => LANGUAGES[code].neural),
);

/** How the neural voice speaks a language; undefined if it does not. `tag`: BCP 47. */
export function neuralLanguage(tag: string): NeuralLanguage | undefined {
  const [, region = ""] = tag.trim().toLowerCase().split(/[-_]/);
  const neural = languageOf(tag)?.neural;
  return neural?.otherRegions?.includes(region) ? undefined : neural;
}

/** Whether the neural voice speaks a language: a BCP 47 tag. */
export function speaksNeurally(tag: string): boolean {
  return neuralLanguage(tag) !== undefined;
}
