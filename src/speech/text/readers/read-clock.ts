// Times of day: `3:45 p.m.`, `15:30 Uhr`, `15h30`, and durations `1:02:03`.
import { say } from "../said.ts";
import { sayCount } from "./numerals.ts";
import { isWordAt, matchAt, type Reading, type ReadingPlace } from "./reader.ts";

const CLOCK = /(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?![\d:]\d)/y;
const HALF = /\s?(?:([ap])\.m\.|([ap])m(?![\p{L}\p{N}]))/iuy;
const HOUR_ONLY = /(\d{1,2})(?=\s?(?:[ap]\.m\.|[ap]m(?![\p{L}\p{N}])))/iuy;
const HOURS_LETTER = /(\d{1,2})\s?h\s?([0-5]\d)(?!\d)/y;
const HOUR_WORD = /(\d{1,2})(?:[.:]([0-5]\d))?\sUhr(?!\p{L})/uy;
const HOUR_SIGN = /\s?(?:h|hs|hrs|uhr|horas|ore)\b\.?/iy;
const UTC = /Z(?![\p{L}\p{N}])/uy;

/** A time of day or a duration. */
export function readClock(place: ReadingPlace): Reading | undefined {
  const { text, at, language } = place;
  const word = language.code === "de" ? matchAt(HOUR_WORD, place) : null;
  if (word) return timeOf(word[0].length, Number(word[1]), Number(word[2] ?? 0), place);
  const letter = language.code === "en" ? null : matchAt(HOURS_LETTER, place);
  if (letter) return timeOf(letter[0].length, Number(letter[1]), Number(letter[2]), place);
  const only = language.code === "en" ? matchAt(HOUR_ONLY, place) : null;
  const clock = only ?? matchAt(CLOCK, place);
  if (!clock) return undefined;
  let length = clock[0].length;
  const [hour, minute] = [Number(clock[1]), Number(clock[2] ?? 0)];
  const half = language.code === "en" && hour <= 12 ? halfBehind(text, at + length) : undefined;
  if (half) return timeOf(length + half.length, hour, minute, place, half);
  if (only) return undefined;
  if (clock[3]) {
    UTC.lastIndex = at + length;
    const isUtc = UTC.test(text);
    const isTime = place.before.endsWith("t") || hour > 12 || isUtc;
    if (isTime) return timeOf(isUtc ? length + 1 : length, hour, minute, place);
    return readDuration(place, length, [clock[1], clock[2], clock[3]]);
  }
  if (language.code !== "en") {
    HOUR_SIGN.lastIndex = at + length;
    const sign = HOUR_SIGN.exec(text);
    if (sign && !isWordAt(text, at + length + sign[0].length)) length += sign[0].replace(/\.$/, "").length;
  }
  return timeOf(length, hour, minute, place);
}

function halfBehind(text: string, at: number): { length: number; half: "am" | "pm"; hasPoint: boolean } | undefined {
  HALF.lastIndex = at;
  const match = HALF.exec(text);
  if (!match) return undefined;
  const half = (match[1] ?? match[2]).toLowerCase() === "a" ? "am" : "pm";
  return { length: match[0].length, half, hasPoint: match[1] !== undefined };
}

function timeOf(
  length: number,
  hour: number,
  minute: number,
  { language }: ReadingPlace,
  half?: { half: "am" | "pm"; hasPoint: boolean },
): Reading | undefined {
  if (hour > 24) return undefined;
  const said = say(language.clock(hour, minute, half?.half));
  return { length, said, isNumber: true, ...(half?.hasPoint && { point: "may-end" }) };
}

function readDuration({ language }: ReadingPlace, length: number, parts: string[]): Reading {
  const units = ["h", "min", "s"].map((unit) => language.units[unit]);
  const said = parts
    .map((part) => String(Number(part)))
    .map((part, index) => (part === "0" ? "" : sayCount({ whole: part, decimals: "" }, units[index], language)))
    .filter(Boolean);
  return { length, said: say(said.join(", ") || sayCount({ whole: "0", decimals: "" }, units[2], language)) };
}
