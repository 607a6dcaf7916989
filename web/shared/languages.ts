// The languages of console, start page and embed page, and which of them a person reads.

export const LANGUAGES = ["en", "de", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own words. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch", es: "Español" };

const KEY = "console-language";
type OpenStorage = () => Pick<Storage, "getItem" | "setItem">;

/** The language that was chosen here before, else the first of the browser's that there is, else English.
 *  `openStorage` may throw: browsers may deny storage. */
export function chooseLanguage(wanted: readonly string[], openStorage: OpenStorage): Language {
  return firstLanguage([readKept(openStorage), ...wanted]);
}

/** The language of the first of these tags that there is one for, else English. */
export function firstLanguage(tags: readonly (string | undefined)[]): Language {
  return tags.map((tag) => tag?.split("-", 1)[0]?.toLowerCase()).find(isLanguage) ?? "en";
}

/** Remembers a choice where the browser allows that. */
export function keepLanguage(language: Language, openStorage: OpenStorage): void {
  try {
    openStorage().setItem(KEY, language);
  } catch {
    // Denied or full: the choice lasts until the page is loaded again.
  }
}

function readKept(openStorage: OpenStorage): string | undefined {
  try {
    return openStorage().getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function isLanguage(tag: string | undefined): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}
