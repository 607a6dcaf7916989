// The page's texts in the person's language: that of the host, else of the browser. All are part of the page, which
// may load nothing.
import { firstLanguage, type Language } from "../../shared/languages.ts";
import { de } from "./de.ts";
import { en, type SpeakingTexts } from "./en.ts";
import { es } from "./es.ts";

export interface LanguageTexts {
  language: Language;
  texts: SpeakingTexts;
}

const TEXTS: Readonly<Record<Language, SpeakingTexts>> = { en, de, es };

/** `hostLocale`: a language tag, where the host tells one; anything else counts as none. */
export function speakingTexts(hostLocale: unknown, browserTags: readonly string[]): LanguageTexts {
  const language = firstLanguage([typeof hostLocale === "string" ? hostLocale : undefined, ...browserTags]);
  return { language, texts: TEXTS[language] };
}
