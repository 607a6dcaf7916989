// The flow's languages, and which of them a visitor reads.

const LANGUAGES = ["en", "de", "es"] as const;
export type CreateLanguage = (typeof LANGUAGES)[number];

/** The first of the wanted languages that there is, else English. `wanted`: as `navigator.languages`. */
export function createLanguage(wanted: readonly string[]): CreateLanguage {
  const candidates = wanted.map((tag) => tag.slice(0, 2).toLowerCase());
  const known = candidates.find((tag) => LANGUAGES.some((language) => language === tag));
  return LANGUAGES.find((language) => language === known) ?? "en";
}
