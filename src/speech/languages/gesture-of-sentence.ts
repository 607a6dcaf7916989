// The gesture that belongs to a sentence: one that greets, laughs or agrees comes with one.
import type { GestureName } from "../../../shared/gesture-names.ts";
import { languageOf } from "./languages.ts";

/** Most words of a cue. */
const MAX_WORDS = 5;

/** The gesture of a sentence; null if it has none. `language`: as `en` or `en-GB`; one without a table has no cues.
 *  Linear in the start of the sentence. Never throws. */
export function gestureOfSentence(sentence: string, language: string): GestureName | null {
  const cues = languageOf(language)?.cues ?? [];
  const start = ` ${firstWords(sentence).join(" ")} `;
  return cues.find(([, words]) => words.split("|").some((word) => start.startsWith(` ${word} `)))?.[0] ?? null;
}

function firstWords(sentence: string): string[] {
  const plain = sentence
    .slice(0, 200)
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\p{M}'’]/gu, "");
  return (plain.match(/\p{L}+/gu) ?? []).slice(0, MAX_WORDS);
}
