// Loads the catalogue of one language.
import type { Texts } from "./en/index.ts";
import type { Language } from "./languages.ts";

export type { Texts };

/** Throws the browser's error if the file cannot be loaded. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === "de") return (await import("./de/index.ts")).de;
  if (language === "es") return (await import("./es/index.ts")).es;
  return (await import("./en/index.ts")).en;
}
