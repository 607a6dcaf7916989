// Words that are not simply said: abbreviations, initials, acronyms, mixed letters and digits, Roman numbers.
import type { SpeechLanguage } from "../../languages/reading/speech-language.ts";
import { type SaidWord, say, spell } from "../said.ts";
import { sayDigits, sayWhole } from "./numerals.ts";
import { matchAt, type Reading, type ReadingPlace, wordBehind } from "./reader.ts";
import { splitName } from "./split-name.ts";

const ABBREVIATION = /\p{L}{1,10}\.(?: ?\p{L}{1,2}\.){0,3}/uy;
const ENDING = /\p{L}{4,40}\./uy;
const ELISION = /(\p{L}{1,6}')(?=\p{Lu}{2,6}(?!\p{L}))/uy;
const ROMAN_ORDINAL = /^([IVX]{1,6})(?:er|re|e|ème)$/;
const INITIALS = /(?:\p{Lu}\.){2,6}|\p{Lu}\.(?=\s\p{Lu}|-\p{Lu}\.)/uy;
const INITIALS_WITHOUT_LAST_POINT = /(?:\p{Lu}\.){1,5}\p{Lu}(?![\p{L}\p{N}.])/uy;
const SAYING = /[\p{L}\p{N}.][\p{L}\p{N}]{0,12}(?:[+#/.°]{1,2}[\p{L}\p{N}]{0,10})?/uy;
const NAME = /[\p{L}\p{N}]{1,200}/uy;
const CAPITALS = /^(\p{Lu}{1,20})(s?)$/u;
/** Small words that are acronyms when they stand in capitals. */
const ACRONYMS = new Set("it us who am id".split(" "));
const ROMAN = /^(?=[IVX]{1,6}$)(X{0,3})(IX|IV|V?I{0,3})$/;
const MIXED = /^\p{Ll}+\p{Lu}|^\p{Lu}\p{Ll}+\p{Lu}|^\p{Lu}{2,}\p{Ll}{2,}|\d/u;
/** Names with a second capital that is no new word. */
const ONE_NAME = /^(?:Mc|Mac|Di|De|Le|La|Van|Von|Fitz)\p{Lu}\p{Ll}+$/u;
const LONGEST_CODE = 80;

/** A point behind a short form belongs to it. */
export function readAbbreviation(place: ReadingPlace): Reading | undefined {
  const { text, at, language } = place;
  const match = matchAt(ABBREVIATION, place);
  // The longest that is known: `e.g. U.S.` is two of them.
  for (let end = match?.[0].length ?? 0; end > 0; end = text.lastIndexOf(".", at + end - 2) + 1 - at) {
    const key = text
      .slice(at, at + end)
      .toLowerCase()
      .replaceAll(" ", "");
    if (!Object.hasOwn(language.abbreviations, key) || /\p{L}/u.test(text[at + end] ?? "")) continue;
    const known = language.abbreviations[key];
    const behind = text.slice(at + end, at + end + 4);
    if (known.beforeNumber && !/^\s?\d/.test(behind)) continue;
    const isName = known.beforeName !== undefined && /^\s\p{Lu}/u.test(behind) && !isAfterName(place);
    const said = say(isName ? (known.beforeName ?? known.said) : known.said);
    return { length: end, said, point: known.mayEnd && !isName ? "may-end" : "inside" };
  }
  return readEnding(place) ?? readInitials(place);
}

/** A word of which only the ending is short: `Hauptstr.` */
function readEnding(place: ReadingPlace): Reading | undefined {
  const endings = place.language.abbreviationEndings;
  const match = endings ? matchAt(ENDING, place) : null;
  for (const [ending, said] of Object.entries(match ? (endings ?? {}) : {})) {
    if (!match?.[0].endsWith(ending)) continue;
    return { length: match[0].length, said: say(match[0].slice(0, -ending.length) + said), point: "may-end" };
  }
  return undefined;
}

/** `Elm St.` and `221 Baker St.`: a street; `St. James`: a saint. */
function isAfterName({ text, at, language, before }: ReadingPlace): boolean {
  if (before === "" || language.starters.has(before)) return false;
  return /\p{Lu}[\p{L}\p{M}']{0,30} $|\d(?:st|nd|rd|th)? $/u.test(text.slice(Math.max(0, at - 34), at));
}

function readInitials(place: ReadingPlace): Reading | undefined {
  const match = matchAt(INITIALS_WITHOUT_LAST_POINT, place) ?? matchAt(INITIALS, place);
  if (!match) return undefined;
  const letters = match[0].replace(/\./g, "");
  const isLast = !match[0].endsWith(".");
  if (letters.length === 1) {
    const next = wordBehind(place.text, place.at + match[0].length);
    if (place.language.starters.has(next.toLowerCase())) return undefined;
    return { length: match[0].length, said: spell(letters), point: "inside" };
  }
  return { length: match[0].length, said: spell(letters), ...(!isLast && { point: "initial" as const }) };
}

/** Words from the language's table, whatever signs they have: `C++`, `.NET`, `w/`. */
export function readSaying(place: ReadingPlace): Reading | undefined {
  const match = matchAt(SAYING, place);
  if (!match) return undefined;
  for (let end = match[0].length; end > 0; end--) {
    const written = match[0].slice(0, end);
    if (!isBoundary(place.text, place.at + end, written)) continue;
    const key = written.toLowerCase();
    if (!Object.hasOwn(place.language.sayings, key)) continue;
    // Written small, these are words: `the ram`, `a pin`.
    return { length: end, said: say(place.language.sayings[key]) };
  }
  return undefined;
}

function isBoundary(text: string, at: number, written: string): boolean {
  if (/[\p{L}\p{N}]/u.test(text[at] ?? "")) return false;
  return /[\p{L}\p{N}]$/u.test(written) ? !/[+#]/.test(text[at] ?? "") : true;
}

/** Acronyms, names in mixed letters, codes, Roman numbers. */
export function readName(place: ReadingPlace): Reading | undefined {
  const { language, text, at } = place;
  const elision = matchAt(ELISION, place)?.[1];
  if (elision) {
    const behind = { ...place, at: at + elision.length, before: elision };
    const rest = readSaying(behind) ?? readName(behind);
    if (!rest) return undefined;
    const said = rest.said.map((word, index) => (index === 0 ? { text: elision.toLowerCase() + word.text } : word));
    return { ...rest, length: elision.length + rest.length, said };
  }
  const written = matchAt(NAME, place)?.[0];
  if (!written || /^'\p{L}/u.test(text.slice(at + written.length, at + written.length + 2))) return undefined;
  const roman = readRoman(written, place);
  if (roman) {
    // Behind a German ordinal stands a point.
    const hasPoint =
      language.ordinalByPoint && /^\. \p{L}/u.test(text.slice(at + written.length, at + written.length + 3));
    return { length: written.length + (hasPoint ? 1 : 0), said: say(roman) };
  }
  const capitals = CAPITALS.exec(written);
  if (capitals) {
    const [, letters, plural] = capitals;
    const lower = written.toLowerCase();
    const isWord = language.starters.has(lower) && !ACRONYMS.has(lower) && letters.length > 1;
    if (
      isWord ||
      (VOWEL.test(letters) && isShouted(text, at, written.length)) ||
      (letters.length > 1 && !isSpelled(letters))
    ) {
      // A pronoun in English, and alone among capitals.
      return { length: written.length, said: [{ text: lower === "i" ? written : lower }] };
    }
    if (letters.length === 1)
      return isLetterName(written, place) && !plural ? { length: 1, said: spell(written) } : undefined;
    const said = spell(letters);
    return { length: written.length, said: plural ? withPlural(said, language) : said };
  }
  if (written.length > LONGEST_CODE || !MIXED.test(written) || ONE_NAME.test(written)) return undefined;
  return { length: written.length, said: splitName(written).flatMap((part) => sayPart(part, language)) };
}

/** Words before or behind an A that is no article. */
const BEFORE_LETTER =
  /^(?:an|the|grade|plan|vitamin|type|class|option|group|section|letter|hepatitis|team|side|exhibit|point|room|gate)$/;

function isLetterName(letter: string, { text, at, language, before }: ReadingPlace): boolean {
  if (language.code !== "en" || !/[AI]/.test(letter)) return !/[AI]/.test(letter);
  return letter === "A" && (BEFORE_LETTER.test(before) || /[-.,;:!?)]/.test(text[at + 1] ?? ""));
}

function withPlural(said: SaidWord[], language: SpeechLanguage): SaidWord[] {
  if (language.code !== "en") return said;
  return said.map((word, index) => (index === said.length - 1 ? { ...word, text: `${word.text}'s` } : word));
}

/** A part of a name or code: a number, letters that are spelled, or a word. */
export function sayPart(part: string, language: SpeechLanguage): SaidWord[] {
  if (/^\d+$/.test(part)) return say(part.length > 4 ? sayDigits(part, language) : sayWhole(part, language));
  if (part.length === 1 || (/^\p{Lu}+$/u.test(part) && isSpelled(part)) || !VOWEL.test(part)) return spell(part);
  return [{ text: part }];
}

const VOWEL = /[aeiouyáéíóúàèìòùâêîôûäëïöüãõœ]/i;

/** Capitals that make no word: up to three, or with three consonants in a row, or without enough vowels. */
function isSpelled(letters: string): boolean {
  if (letters.length <= 3) return true;
  if (letters.length > 6) return false;
  return /[^AEIOUYÁÉÍÓÚÄÖÜ]{3}/.test(letters) || !VOWEL.test(letters) || /^[AEIOU]{2}|[AEIOU]{3}/.test(letters);
}

/** True in a passage that is written in capitals throughout. */
function isShouted(text: string, at: number, length: number): boolean {
  const around = text.slice(Math.max(0, at - 40), at) + text.slice(at + length, at + length + 40);
  const capitals = around.match(/\p{Lu}/gu)?.length ?? 0;
  const small = around.match(/\p{Ll}/gu)?.length ?? 0;
  return capitals + length > 10 && capitals > 4 && small * 4 < capitals;
}

function readRoman(written: string, { text, at, before, language }: ReadingPlace): string | undefined {
  const ordinal = language.code === "fr" ? ROMAN_ORDINAL.exec(written) : null;
  if (ordinal) {
    const value = romanValue(ordinal[1]);
    return value === undefined ? undefined : language.ordinal(value);
  }
  const value = written.length > 1 ? romanValue(written) : undefined;
  if (value === undefined || before === "" || isShouted(text, at, written.length)) return undefined;
  const isBehindName = /[\p{Lu}][\p{L}\p{M}']{2,30} $/u.test(text.slice(Math.max(0, at - 34), at));
  const isCentury = /^(?:siglo|século|secolo|siècle|capítulo|capitolo|chapitre|kapitel|chapter|part|page)$/.test(
    before,
  );
  return isBehindName || isCentury ? language.roman(value, before) : undefined;
}

/** 1 to 39; undefined for anything else. */
function romanValue(written: string): number | undefined {
  const roman = ROMAN.exec(written);
  if (!roman) return undefined;
  return roman[1].length * 10 + ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"].indexOf(roman[2]);
}
