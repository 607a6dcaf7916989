// Numbers and what is counted: plain numbers, decimals, units, percent, ordinals, fractions, decades, versions, sizes.

import { declined } from "../../languages/reading/declined.ts";
import type { SpeechLanguage } from "../../languages/reading/speech-language.ts";
import { type SaidWord, say, spell } from "../said.ts";
import { type Numeral, numeralAt, sayCount, sayDigits, sayNumeral, sayWhole } from "./numerals.ts";
import { magnitudeAt } from "./read-money.ts";
import { sayPart } from "./read-name.ts";
import { isWordAt, matchAt, type Reading, type ReadingPlace, wordBehind } from "./reader.ts";
import { splitName } from "./split-name.ts";

const SIGN = /([-−+±~≈])\s?(?=[.,]?\d)/y;
const DOTTED = /(\d{1,5}(?:\.\d{1,5}){2,6})(?!\d)/y;
const VERSION = /v(\d{1,5}(?:\.\d{1,5}){1,6})(?![\p{L}\p{N}])/iuy;
const FRACTION = /(?:(\d{1,4}) )?(\d{1,3})[/⁄](\d{1,4})(?![\d/]|[.-]\d)/y;
const VULGAR = /(\d{1,6})?\s?([½⅓⅔¼¾⅕⅛⅜⅝⅞])/y;
const VULGAR_FRACTIONS: Readonly<Record<string, string>> = Object.freeze({
  "½": "1/2",
  "⅓": "1/3",
  "⅔": "2/3",
  "¼": "1/4",
  "¾": "3/4",
  "⅕": "1/5",
  "⅛": "1/8",
  "⅜": "3/8",
  "⅝": "5/8",
  "⅞": "7/8",
});
const ORDINAL = /(\d{1,9})(\.?\p{L}{1,4}|\.?[ºª°])/uy;
const DECADE = /'?(\d0|1[0-9]\d0|20\d0)(?:'s|s|er)/y;
const UNIT = /\s?(%|‰|°[CF]?|sq ft|[\p{L}µ²³]{1,5}(?:\/[\p{L}²]{1,4})?[²³23]?\.?)/uy;
const HEIGHT = /(\d)'(?:(\d{1,2})")?/y;
const LEADING_POINT = /\.(\d{1,20})/y;
/** Numbers and letters in one: `14C`, `3f9a`. */
const CODE = /\d{1,40}\p{L}[\p{L}\p{Nd}]{0,40}/uy;

/** Any number that no other reader knows. */
export function readQuantity(place: ReadingPlace): Reading | undefined {
  const sign = matchAt(SIGN, place);
  if (sign) {
    const behind = readQuantity({ ...place, at: place.at + sign[0].length, before: sign[1] });
    const isDash = sign[1] === "-" && /[\p{L}\p{N}]/u.test(place.text[place.at - 1] ?? "");
    if (!behind || isDash) return undefined;
    const { words, symbols } = place.language;
    const said = { "+": words.plus, "±": symbols["±"], "~": words.about, "≈": words.about }[sign[1]] ?? words.minus;
    return { ...behind, length: behind.length + sign[0].length, said: [...say(said), ...behind.said] };
  }
  for (const reader of [readDotted, readFraction, readHeight, readOrdinal, readDecade, readCount]) {
    const reading = reader(place);
    if (reading) return { ...reading, isNumber: true };
  }
  return undefined;
}

/** `v2.1`. */
export function readVersion(place: ReadingPlace): Reading | undefined {
  const match = matchAt(VERSION, place);
  if (!match) return undefined;
  return { length: match[0].length, said: [...spell("V"), ...sayDotted(match[1], place.language)], isNumber: true };
}

/** Versions and network addresses. */
function readDotted(place: ReadingPlace): Reading | undefined {
  const match = matchAt(DOTTED, place);
  const isGrouped = place.language.decimalMark === "," && /^\d{1,3}(\.\d{3})+$/.test(match?.[1] ?? "");
  return match && !isGrouped ? { length: match[0].length, said: sayDotted(match[1], place.language) } : undefined;
}

function sayDotted(numbers: string, language: SpeechLanguage): SaidWord[] {
  const mark = language.decimalMark === "." ? language.words.point : language.words.dot;
  const parts = numbers.split(".").map((part) => sayWhole(part, language));
  return say(parts.join(` ${mark} `));
}

function readFraction(place: ReadingPlace): Reading | undefined {
  const { language } = place;
  const vulgar = matchAt(VULGAR, place);
  if (vulgar) {
    const fraction = language.fractions[VULGAR_FRACTIONS[vulgar[2]]];
    if (!fraction) return undefined;
    return { length: vulgar[0].length, said: say(withWhole(vulgar[1], fraction, language)) };
  }
  const match = matchAt(FRACTION, place);
  if (!match) return undefined;
  const [written, whole, above, below] = match;
  const fraction = language.fractions[`${above}/${below}`];
  if (fraction) return { length: written.length, said: say(withWhole(whole, fraction, language)) };
  const length = whole ? whole.length : written.length;
  if (whole) return { length, said: say(sayWhole(whole, language)) };
  return { length, said: say(`${sayWhole(above, language)} ${language.words.over} ${sayWhole(below, language)}`) };
}

function withWhole(whole: string | undefined, fraction: string, language: SpeechLanguage): string {
  if (!whole) return fraction;
  const rest = language.code === "en" ? fraction.replace(/^one half$/, "a half") : fraction;
  return `${sayWhole(whole, language)} ${language.words.and} ${rest}`;
}

function readHeight(place: ReadingPlace): Reading | undefined {
  const match = place.language.code === "en" ? matchAt(HEIGHT, place) : null;
  if (!match || isWordAt(place.text, place.at + match[0].length)) return undefined;
  if (!match[2] && place.text[place.at - 1] === "'") return undefined;
  const said = match[2] ? `${sayWhole(match[1], place.language)} foot ${sayWhole(match[2], place.language)}` : "";
  return said ? { length: match[0].length, said: say(said) } : undefined;
}

function readOrdinal(place: ReadingPlace): Reading | undefined {
  const { text, at, language } = place;
  const match = matchAt(ORDINAL, place);
  if (match) {
    const gender = language.ordinalMarks[match[2].toLowerCase()];
    const value = Number(match[1]);
    if (!gender || value === 0 || isWordAt(text, at + match[0].length)) return undefined;
    return { length: match[0].length, said: say(language.ordinal(value, gender)) };
  }
  const point = language.ordinalByPoint ? /^(\d{1,3})\. (?=\p{L})/u.exec(text.slice(at, at + 8)) : null;
  if (!point || Number(point[1]) === 0) return undefined;
  const next = wordBehind(text, at + point[0].length);
  if (place.before === "" || language.starters.has(next.toLowerCase())) return undefined;
  return { length: point[1].length + 1, said: say(declined(language.ordinal(Number(point[1])), place.before)) };
}

function readDecade(place: ReadingPlace): Reading | undefined {
  const match = place.language.decade ? matchAt(DECADE, place) : null;
  const isGerman = place.language.code === "de";
  if (
    !match ||
    !place.language.decade ||
    match[0].endsWith("er") !== isGerman ||
    isWordAt(place.text, place.at + match[0].length)
  )
    return undefined;
  return { length: match[0].length, said: say(place.language.decade(Number(match[1]))) };
}

function readCount(place: ReadingPlace): Reading | undefined {
  const { text, at, language, before } = place;
  const leading = matchAt(LEADING_POINT, place);
  if (leading && !/[\p{L}\p{N}.,]/u.test(text[at - 1] ?? "")) {
    const said = `${language.words.point} ${sayDigits(leading[1], language)}`;
    return { length: leading[0].length, said: say(said) };
  }
  const numeral = numeralAt(text, at, language);
  if (!numeral) return undefined;
  const end = at + numeral.length;
  const counted = readUnit(numeral, place);
  if (counted) return counted;
  const magnitude = magnitudeAt(
    text,
    end,
    language,
    /^(?:[kMB]|bn|mn)(?![\p{L}\p{N}])/u.test(text.slice(end, end + 4)),
  );
  if (magnitude) return { length: magnitude.end - at, said: say(sayCount(numeral, magnitude.noun, language)) };
  const code = matchAt(CODE, place);
  if (code && !numeral.isGrouped && numeral.decimals === "") {
    return { length: code[0].length, said: splitName(code[0]).flatMap((part) => sayPart(part, language)) };
  }
  return { length: numeral.length, said: say(sayBefore(sayBare(numeral, before, language), place, end)) };
}

/** After these a number is a name, and the word behind it is not counted. */
const NUMBERED =
  /^(?:p[aá]gina|cap[ií]tulo|capitolo|paso|n[uú]mero|versi[oó]n|nivel|parte|seite|kapitel|schritt|version|teil|nummer|platz|étape|chapitre|page|numéro|niveau|passo|livello|versione|nível|etapa|versão)$/;

/** A number in the gender of the noun behind it. */
function sayBefore(said: string, { text, language, before }: ReadingPlace, end: number): string {
  if (!language.feminine || text[end] !== " " || NUMBERED.test(before)) return said;
  const noun = wordBehind(text, end);
  const isNoun = language.code === "de" ? /^\p{Lu}/u.test(noun) : /^\p{Ll}{3}/u.test(noun);
  if (!isNoun || language.starters.has(noun.toLowerCase())) return said;
  return language.agree(said, language.feminine.test(noun) ? "f" : "m");
}

function sayBare(numeral: Numeral, before: string, language: SpeechLanguage): string {
  const { whole, decimals, isGrouped } = numeral;
  const value = Number(whole);
  const isYear =
    whole.length === 4 && whole[0] !== "0" && !isGrouped && decimals === "" && language.isYear(value, before);
  return isYear ? language.year(value) : sayNumeral(numeral, language);
}

function readUnit(numeral: Numeral, place: ReadingPlace): Reading | undefined {
  const { text, at, language } = place;
  UNIT.lastIndex = at + numeral.length;
  const match = UNIT.exec(text);
  if (!match) return undefined;
  const written = Object.hasOwn(language.units, match[1]) ? match[1] : match[1].replace(/\.$/, "");
  const noun = Object.hasOwn(language.units, written) ? language.units[written] : undefined;
  const end = at + numeral.length + match[0].length - (match[1].length - written.length);
  if (!noun || isWordAt(text, end)) return undefined;
  // `in 1990 s` and `5 h` are rare, `the 3 A` is not: a single letter stands close or is a usual unit.
  return { length: end - at, said: say(sayCount(numeral, noun, language)) };
}
