// Dates in digits and dates with a month's name.

import type { CalendarDate, SpeechLanguage } from "../../languages/reading/speech-language.ts";
import { say } from "../said.ts";
import { matchAt, type Reading, type ReadingPlace } from "./reader.ts";

const ISO = /(\d{4})-(\d{2})-(\d{2})(?:T(?=\d)|(?![\d-]))/y;
const DIGITS = /(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/]|[.-]\d)/y;
/** With its zero it is no fraction. */
const SHORT = /(?=0|\d\d\/0)(\d{2})\/(\d{2})(?![\d/])/y;
const DAY_MONTH_POINTS = /(\d{1,2})\.(\d{1,2})\.(?!\d)/y;
const DAY_FIRST =
  /(\d{1,2})(?:st|nd|rd|th|er|º|°|\.)?\s(?:of\s|de\s)?(\p{L}{3,10})\.?(?:,?\s(?:de\s|del\s)?(\d{4})(?!\d))?/uy;
const MONTH_FIRST = /(\p{L}{3,9})\.?\s(\d{1,2})(st|nd|rd|th)?(?![\d:.]\d|\d|%|\p{L})(?:,?\s(\d{4})(?![\d,]))?/uy;

/** A date. Days and months out of range are not dates. */
export function readDate(place: ReadingPlace): Reading | undefined {
  return /\d/.test(place.text[place.at]) ? readDigits(place) : readMonthFirst(place);
}

function readDigits(place: ReadingPlace): Reading | undefined {
  const { language } = place;
  const iso = matchAt(ISO, place);
  if (iso) return dateOf(iso[0], { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) }, place);
  const digits = matchAt(DIGITS, place);
  if (digits) {
    const [first, second] = [Number(digits[1]), Number(digits[3])];
    const isMonthFirst = (language.monthFirst && digits[2] !== "." && first <= 12) || second > 12;
    const [month, day] = isMonthFirst ? [first, second] : [second, first];
    return dateOf(digits[0], { day, month, year: fullYear(digits[4]) }, place);
  }
  const short = matchAt(SHORT, place);
  if (short) {
    const [first, second] = [Number(short[1]), Number(short[2])];
    const [month, day] = language.monthFirst ? [first, second] : [second, first];
    return dateOf(short[0], { day, month }, place);
  }
  const points = language.ordinalByPoint ? matchAt(DAY_MONTH_POINTS, place) : null;
  if (points) return dateOf(points[0], { day: Number(points[1]), month: Number(points[2]) }, place);
  const named = matchAt(DAY_FIRST, place);
  const month = named && monthOf(named[2], language);
  if (!named || !month) return undefined;
  const year = named[3] ? Number(named[3]) : undefined;
  // `5 may` is no date.
  const isName = /^\p{Lu}/u.test(named[2]) || language.code !== "en";
  if (!isName) return undefined;
  // The point behind a whole name ends the sentence, the one behind a short form belongs to it.
  const isWhole = language.months[month - 1][0].toLowerCase() === named[2].toLowerCase();
  const written = isWhole ? named[0].replace(/\.$/, "") : named[0];
  return dateOf(written, { day: Number(named[1]), month, year }, place);
}

function readMonthFirst(place: ReadingPlace): Reading | undefined {
  const match = place.language.monthFirst ? matchAt(MONTH_FIRST, place) : null;
  const month = match && /^\p{Lu}/u.test(match[1]) && monthOf(match[1], place.language);
  if (!match || !month) return undefined;
  return dateOf(match[0], { month, day: Number(match[2]), year: match[4] ? Number(match[4]) : undefined }, place);
}

function dateOf(written: string, date: CalendarDate, place: ReadingPlace): Reading | undefined {
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31 || date.year === 0) return undefined;
  return { length: written.length, said: say(place.language.date(date, place.before)), isNumber: true };
}

function monthOf(name: string, language: SpeechLanguage): number | undefined {
  const lower = name.toLowerCase();
  const index = language.months.findIndex((names) => names.some((known) => known.toLowerCase() === lower));
  return index < 0 ? undefined : index + 1;
}

function fullYear(digits: string): number {
  const value = Number(digits);
  if (digits.length === 4) return value;
  return value < 50 ? 2000 + value : 1900 + value;
}
