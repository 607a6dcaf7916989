// Written numbers and their words.
import type { SpeechLanguage } from "../../languages/reading/speech-language.ts";

/** More digits than these are said one by one. */
const MOST_DIGITS = 15;

export interface Numeral {
  /** Digits before the decimal mark, without group marks. */
  whole: string;
  /** Digits behind it; empty if there are none. */
  decimals: string;
  /** Characters that it covers. */
  length: number;
  /** It has group marks, so it is no year. */
  isGrouped: boolean;
}

const WITH_POINT = /(\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,40})(?:\.(\d{1,20}))?/y;
const WITH_COMMA =
  /(\d{1,3}(?:([.' ])\d{3}(?:\2\d{3}){0,5})(?!\d)|\d{1,40})(?:,(\d{1,20})|\.(\d{1,2}(?!\d)|\d{4,20}))?/y;

/** The number at `at`, without sign; null if there is none. At most 60 characters long. */
export function numeralAt(text: string, at: number, language: SpeechLanguage): Numeral | null {
  const pattern = language.decimalMark === "." ? WITH_POINT : WITH_COMMA;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) return null;
  const whole = match[1].replace(/\D/g, "");
  const decimals = language.decimalMark === "." ? match[2] : (match[3] ?? match[4]);
  // `3.` and `3.14.15` are no decimals: versions and dates have their own readers.
  return { whole, decimals: decimals ?? "", length: match[0].length, isGrouped: match[1].length !== whole.length };
}

/** A whole number in words; digits one by one if it is very long or begins with zeros. */
export function sayWhole(digits: string, language: SpeechLanguage): string {
  if (digits.length > MOST_DIGITS || (digits.length > 1 && digits[0] === "0")) return sayDigits(digits, language);
  return language.cardinal(BigInt(digits));
}

/** Each digit. */
export function sayDigits(digits: string, language: SpeechLanguage): string {
  return [...digits].map((digit) => language.cardinal(BigInt(digit))).join(" ");
}

/** A number with its decimals. */
export function sayNumeral({ whole, decimals }: Pick<Numeral, "whole" | "decimals">, language: SpeechLanguage): string {
  const said = sayWhole(whole, language);
  if (decimals === "") return said;
  const isNumber = language.decimals === "number" && decimals.length === 2 && decimals[0] !== "0";
  const behind = isNumber ? sayWhole(decimals, language) : sayDigits(decimals, language);
  return `${said} ${language.words.point} ${behind}`;
}

/** A counted noun with its number: `one euro`, `two point five euros`. */
export function sayCount(
  numeral: Pick<Numeral, "whole" | "decimals">,
  [one, many, gender = "m"]: readonly [string, string, ("m" | "f")?],
  language: SpeechLanguage,
): string {
  const isOne = numeral.decimals === "" && /^0*1$/.test(numeral.whole);
  const number = sayNumeral(numeral, language);
  const said = `${numeral.decimals === "" ? language.agree(number, gender) : number} ${isOne ? one : many}`;
  return language.code === "it" ? said.replace(/^una (?=[aeiou])/, "un'") : said;
}
