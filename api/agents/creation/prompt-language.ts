// The language that a prompt is written in, or that the prompt names as the agent's.
import { detectLanguage } from "../../../src/speech/languages/detect-language.ts";
import {
  DEFAULT_LANGUAGE,
  LANGUAGE_CODES,
  LANGUAGES,
  type LanguageCode,
} from "../../../src/speech/languages/languages.ts";

const BY_NAME = new Map(LANGUAGE_CODES.flatMap((code) => LANGUAGES[code].englishNames.map((name) => [name, code])));
const REQUESTED = new RegExp(
  "\\b(?:speaks?|speaking|answers?|repl(?:y|ies)|responds?|talks?)\\s+(?:only\\s+|always\\s+)?(?:in\\s+)?" +
    `(${[...BY_NAME.keys()].join("|")})\\b`,
  "i",
);

/** The code of one of the voices' languages; English if the language is unclear. Never throws. */
export function promptLanguage(prompt: string): LanguageCode {
  const requested = REQUESTED.exec(prompt)?.[1].toLowerCase() ?? "";
  return BY_NAME.get(requested) ?? detectLanguage(prompt, LANGUAGES) ?? DEFAULT_LANGUAGE;
}
