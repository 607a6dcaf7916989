// Phone numbers, digit by digit, with a pause between groups.
import { say, withPause } from "../said.ts";
import { sayDigits, sayWhole } from "./numerals.ts";
import { matchAt, type Reading, type ReadingPlace } from "./reader.ts";

const INTERNATIONAL = /\+(\d{1,3})((?:[ ./-]?\(?\d{1,5}\)?){2,7})(?!\d)/y;
const AMERICAN = /(?:(1)[ .-])?(?:\((\d{3})\) ?|(\d{3})[ .-])(\d{3})[ .-](\d{4})(?![\d-])/y;
const SHORT_AMERICAN = /(\d{3})-(\d{4})(?![\d-])/y;
/** With the zero of an area code. */
const NATIONAL = /\(?0\d{1,4}\)?(?:[ /-]\d{2,8}){1,5}(?![\d.,]\d|\d)/y;
/** Words before a number to call. */
const AT_NUMBER = /^(?:at|call|dial|number|phone|tel|telephone|text|fax)$/;
const LEAST_DIGITS = 8;
const MOST_DIGITS = 15;

/** Book numbers and the like: three hyphens or more. */
const HYPHENATED = /\d{1,7}(?:-\d{1,7}){3,6}(?![\d-])/y;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\p{L}\p{N}-])/iuy;

/** Numbers and letters in groups, each said alone. */
export function readGroups(place: ReadingPlace): Reading | undefined {
  const uuid = matchAt(UUID, place);
  if (uuid) {
    const said = uuid[0].split("-").flatMap((group) => {
      const signs = [...group].map((sign) => (/\d/.test(sign) ? sayDigits(sign, place.language) : sign.toUpperCase()));
      return withPause(say(signs.join(" ")));
    });
    return { length: uuid[0].length, said };
  }
  const match = matchAt(HYPHENATED, place);
  if (!match) return undefined;
  const said = match[0].split("-").map((group) => sayDigits(group, place.language));
  return { length: match[0].length, said: say(said.join(", ")) };
}

/** A phone number; numbers of fewer than eight digits only in their American form. */
export function readPhone(place: ReadingPlace): Reading | undefined {
  const international = matchAt(INTERNATIONAL, place);
  if (international) {
    const groups = groupsOf(international[2]);
    return reading(international[0], [international[1], ...groups], place, true);
  }
  if (place.language.code === "en") {
    const american = matchAt(AMERICAN, place);
    if (american) return reading(american[0], american.slice(1).filter(Boolean), place);
    const short = matchAt(SHORT_AMERICAN, place);
    // `100-1000` is a range.
    if (short && (AT_NUMBER.test(place.before) || !short[2].endsWith("0"))) {
      return reading(short[0], short.slice(1), place, false, 7);
    }
  }
  const national = matchAt(NATIONAL, place);
  return national ? reading(national[0], groupsOf(national[0]), place) : undefined;
}

function groupsOf(written: string): string[] {
  return written.split(/\D+/).filter(Boolean);
}

function reading(
  written: string,
  groups: string[],
  { language }: ReadingPlace,
  hasPlus = false,
  least = LEAST_DIGITS,
): Reading | undefined {
  const count = groups.join("").length;
  if (count < least || count > MOST_DIGITS) return undefined;
  const said = groups.map((group) => {
    const isPair = language.phonePairs && group.length === 2;
    return isPair ? sayWhole(group, language) : sayDigits(group, language);
  });
  return { length: written.length, said: say(`${hasPlus ? `${language.words.plus} ` : ""}${said.join(", ")}`) };
}
