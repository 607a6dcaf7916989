// The languages of console and start page, and which of them a person reads.

export const LANGUAGES = ["en", "de", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own words. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch", es: "Español" };

const KEY = "console-language";
type OpenStorage = () => Pick<Storage, "getItem" | "setItem">;

/** The language that was chosen here before, else the first of the browser's that there is, else English.
 *  `openStorage` may throw: browsers may deny storage. */
export function chooseLanguage(wanted: readonly string[], openStorage: OpenStorage): Language {
  const kept = readKept(openStorage);
  const candidates = [kept, ...wanted].map((tag) => tag?.slice(0, 2).toLowerCase());
  return LANGUAGES.find((language) => language === candidates.find((tag) => isLanguage(tag))) ?? "en";
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
