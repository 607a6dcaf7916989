// Sentences that the avatar says when it cannot answer.
import type { FixedSentence } from "../../speech/languages/language.ts";
import { languageOrEnglish } from "../../speech/languages/languages.ts";

/** The sentence in a language (a BCP 47 tag). */
export function fixedSentence(kind: FixedSentence, language: string): string {
  return languageOrEnglish(language).fixedSentences[kind];
}
