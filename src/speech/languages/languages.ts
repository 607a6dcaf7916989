// The languages of the voices. A new one is a file beside this one and a row here.
import { AR } from "./ar.ts";
import { BG } from "./bg.ts";
import { CS } from "./cs.ts";
import { DA } from "./da.ts";
import { DE } from "./de.ts";
import { EL } from "./el.ts";
import { EN } from "./en.ts";
import { ES } from "./es.ts";
import { ET } from "./et.ts";
import { FI } from "./fi.ts";
import { FR } from "./fr.ts";
import { HI } from "./hi.ts";
import { HU } from "./hu.ts";
import { ID } from "./id.ts";
import { IT } from "./it.ts";
import { JA } from "./ja.ts";
import { KO } from "./ko.ts";
import type { Language } from "./language.ts";
import { LT } from "./lt.ts";
import { LV } from "./lv.ts";
import { NL } from "./nl.ts";
import { PL } from "./pl.ts";
import { PT } from "./pt.ts";
import type { SpeechLanguage } from "./reading/speech-language.ts";
import { RO } from "./ro.ts";
import { RU } from "./ru.ts";
import { SK } from "./sk.ts";
import { SL } from "./sl.ts";
import { SV } from "./sv.ts";
import { TR } from "./tr.ts";
import { UK } from "./uk.ts";
import { VI } from "./vi.ts";
import { ZH } from "./zh.ts";

/** By ISO 639-1 code. */
export const LANGUAGES = Object.freeze({
  en: EN,
  es: ES,
  fr: FR,
  de: DE,
  it: IT,
  pt: PT,
  nl: NL,
  pl: PL,
  sv: SV,
  da: DA,
  fi: FI,
  cs: CS,
  sk: SK,
  sl: SL,
  hu: HU,
  ro: RO,
  bg: BG,
  el: EL,
  tr: TR,
  uk: UK,
  ru: RU,
  lv: LV,
  lt: LT,
  et: ET,
  ar: AR,
  hi: HI,
  id: ID,
  vi: VI,
  ja: JA,
  ko: KO,
  zh: ZH,
} satisfies Record<string, Language>);

export type LanguageCode = keyof typeof LANGUAGES;

export const LANGUAGE_CODES = Object.freeze(Object.keys(LANGUAGES) as LanguageCode[]);
export const DEFAULT_LANGUAGE: LanguageCode = "en";

/** True for the code of one of the languages; narrows the type. */
export function isLanguageCode(code: string): code is LanguageCode {
  return Object.hasOwn(LANGUAGES, code);
}

/** The language part of a tag in lower case: `pt-BR` gives `pt`. */
export function primaryLanguage(tag: string): string {
  return tag.trim().toLowerCase().split(/[-_]/)[0];
}

/** The language of a tag; undefined for a language that no voice speaks. */
export function languageOf(tag: string): Language | undefined {
  const code = primaryLanguage(tag);
  return isLanguageCode(code) ? LANGUAGES[code] : undefined;
}

/** The language of a tag; English for a language that no voice speaks, so that something is said. */
export function languageOrEnglish(tag: string): Language {
  return languageOf(tag) ?? LANGUAGES.en;
}

/** How a language is said, by its tag (`en`, `pt-BR`): as in the region if that differs; undefined if the synthesizer
 *  reads it. */
export function speechLanguage(tag: string): SpeechLanguage | undefined {
  const [, region = ""] = tag.trim().toLowerCase().split(/[-_]/);
  const language = languageOf(tag);
  return language?.regionalSpeech?.[region] ?? language?.speech;
}
