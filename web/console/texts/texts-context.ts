// The texts of the chosen language, for components.
import { createContext, useContext, useMemo } from "react";
import { createFormats, type Formats } from "./formats.ts";
import type { Language } from "./languages.ts";
import type { Texts } from "./load-texts.ts";

export interface Spoken {
  language: Language;
  texts: Texts;
}

export interface TextsContextValue extends Spoken {
  setLanguage(language: Language): void;
}

export const TextsContext = createContext<TextsContextValue | null>(null);

function useSpoken(): TextsContextValue {
  const value = useContext(TextsContext);
  if (!value) throw new TypeError("no language was chosen");
  return value;
}

export function useTexts(): Texts {
  return useSpoken().texts;
}

/** The language, and how to choose another. */
export function useLanguage(): Omit<TextsContextValue, "texts"> {
  return useSpoken();
}

/** Numbers, dates and durations as the language writes them. */
export function useFormats(): Formats {
  const { language } = useSpoken();
  return useMemo(() => createFormats(language), [language]);
}
