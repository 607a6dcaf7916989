// Loads the flow's texts in one language.

import type { Language } from "../../shared/languages.ts";
import type { CreateTexts } from "./en.ts";

export type { CreateTexts };

/** Throws the browser's error if the file cannot be loaded. */
export async function loadCreateTexts(language: Language): Promise<CreateTexts> {
  if (language === "de") return (await import("./de.ts")).de;
  if (language === "es") return (await import("./es.ts")).es;
  return (await import("./en.ts")).en;
}
