// The page's texts in the visitor's language. English is part of the page's script.
import { firstLanguage, type Language } from "../../shared/languages.ts";
import { type EmbedTexts, en } from "./en.ts";

export type { EmbedTexts };

/** The language that the page's address names (`lang`), else the first of the browser's that there is, else English.
 *  Throws TypeError if the string is not an absolute URL. */
export function languageOf(pageAddress: string, browserTags: readonly string[]): Language {
  return firstLanguage([new URL(pageAddress).searchParams.get("lang") ?? undefined, ...browserTags]);
}

/** In English if the file cannot be loaded: the conversation matters more. */
export async function loadEmbedTexts(language: Language): Promise<EmbedTexts> {
  try {
    if (language === "de") return (await import("./de.ts")).de;
    if (language === "es") return (await import("./es.ts")).es;
  } catch {
    // The page says why there is no connection, if that lasts.
  }
  return en;
}
