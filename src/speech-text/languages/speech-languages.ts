// The languages in which text is prepared.
import { ENGLISH } from "./english.ts";
import { FRENCH } from "./french.ts";
import { GERMAN } from "./german.ts";
import { ITALIAN } from "./italian.ts";
import { BRAZILIAN, PORTUGUESE } from "./portuguese.ts";
import { SPANISH } from "./spanish.ts";
import type { SpeechLanguage } from "./speech-language.ts";

const LANGUAGES: readonly SpeechLanguage[] = [ENGLISH, SPANISH, GERMAN, FRENCH, ITALIAN, PORTUGUESE, BRAZILIAN];
const BY_CODE = new Map(LANGUAGES.map((language) => [language.code, language]));

/** The table of a language, by its tag (`en`, `pt-BR`): the region's if there is one, else the language's, else
 *  undefined. */
export function speechLanguage(tag: string): SpeechLanguage | undefined {
  const parts = tag.trim().toLowerCase().split(/[-_]/);
  return BY_CODE.get(parts.slice(0, 2).join("-")) ?? BY_CODE.get(parts[0]);
}
