// Reads a clean text from left to right: words as they are said, and the marks between them.

import type { SpeechLanguage } from "../languages/reading/speech-language.ts";
import type { CleanText } from "./clean-text.ts";
import { BLOCK_END } from "./markup.ts";
import { readClock } from "./readers/read-clock.ts";
import { readDate } from "./readers/read-date.ts";
import { readMoney } from "./readers/read-money.ts";
import { readAbbreviation, readName, readSaying } from "./readers/read-name.ts";
import { readGroups, readPhone } from "./readers/read-phone.ts";
import { readQuantity, readVersion } from "./readers/read-quantity.ts";
import { readHandle, readWeb } from "./readers/read-web.ts";
import type { Reader, Reading } from "./readers/reader.ts";
import { wordBehind } from "./readers/reader.ts";
import { type SaidWord, say } from "./said.ts";

/** Marks that a voice hears. */
export type Mark = "," | ";" | ":" | "." | "!" | "?" | "…" | "—";

/** A piece of text that was read, in order. `from` and `to` are positions in the clean text. */
export type ReadItem =
  | { kind: "words"; said: SaidWord[]; from: number; to: number }
  | { kind: "mark"; mark: Mark; from: number; to: number; endsSentence: boolean }
  | { kind: "block-end" };

/** A word without a break in it is said in pieces of at most this many letters. */
const LONGEST_WORD = 40;
/** More of the same letter says no more. */
const MOST_REPEATED = 3;

const SPACES = /[ \t]+/y;
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{Nd}](?:[\\p{L}\\p{M}\\p{Nd}]|['·](?=\\p{L})){0,${LONGEST_WORD - 1}}`, "uy");
const REPEATED = /(\p{L})\1{3,}/gu;
const MARKS = /\.{2,}|…+|[.!?。！？‽¡¿]+|[,;:،，、；：]+|—+|–+|--+/uy;
const EMOTICON = /[:;=8][-^o']?[)(DPpOo3/|\\*]+(?![\p{L}\p{N}])|\^_?\^|[xX]D(?![\p{L}\p{N}])/uy;
const CLOSING = /["'”’»)\]}*]{0,5}/y;

const AT_DIGIT: readonly Reader[] = [
  readSaying,
  readGroups,
  readDate,
  readPhone,
  readClock,
  readWeb,
  readMoney,
  readQuantity,
  readName,
];
const AT_LETTER: readonly Reader[] = [
  readVersion,
  readGroups,
  readWeb,
  readDate,
  readAbbreviation,
  readSaying,
  readMoney,
  readName,
];
const AT_SIGN: readonly Reader[] = [readPhone, readMoney, readQuantity, readSaying, readHandle];

/** The items of a text, each made when it is requested. Takes time in proportion to the text, whatever is in it. */
export function* readText({ text }: CleanText, language: SpeechLanguage | undefined): Generator<ReadItem> {
  let at = 0;
  let before = "";
  let isBehindNumber = false;
  while (at < text.length) {
    const character = text[at];
    if (character === " " || character === "\t") {
      SPACES.lastIndex = at;
      SPACES.test(text);
      at = SPACES.lastIndex;
      continue;
    }
    if (character === BLOCK_END) {
      yield { kind: "block-end" };
      before = "";
      isBehindNumber = false;
      at++;
      continue;
    }
    const isRange = isBehindNumber && language && rangeAt(text, at);
    if (isRange) {
      yield { kind: "words", said: say(language.words[isRange.word]), from: at, to: at + isRange.length };
      at += isRange.length;
      isBehindNumber = false;
      continue;
    }
    const reading = language && readAt(text, at, language, before);
    if (reading) {
      const to = at + reading.length;
      yield { kind: "words", said: reading.said, from: at, to };
      before = text.slice(Math.max(at, to - 40), to).toLowerCase();
      isBehindNumber = reading.isNumber === true;
      if (reading.point && endsAtPoint(text, to, reading.point, language)) {
        yield { kind: "mark", mark: ".", from: to, to, endsSentence: true };
        before = "";
      }
      at = to;
      continue;
    }
    isBehindNumber = false;
    EMOTICON.lastIndex = at;
    if (/[\s\u2029]/.test(text[at - 1] ?? " ") && EMOTICON.test(text)) {
      at = EMOTICON.lastIndex;
      continue;
    }
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word) {
      const to = at + word.length;
      yield {
        kind: "words",
        said: [{ text: word.normalize("NFC").replace(REPEATED, (_, letter) => letter.repeat(MOST_REPEATED)) }],
        from: at,
        to,
      };
      before = word.toLowerCase();
      at = to;
      continue;
    }
    const mark = markAt(text, at);
    if (mark) {
      yield mark;
      if (mark.endsSentence) before = "";
      at = mark.to;
      continue;
    }
    const length = String.fromCodePoint(text.codePointAt(at) ?? 0).length;
    const said = language && symbolAt(text, at, language);
    if (said) yield { kind: "words", said: say(said), from: at, to: at + length };
    at += length;
  }
}

const RANGE = /[-–—]\s?(?=[-−]?(?:US|R)?[$€£¥]?\d)/y;
const TIMES = /x\s?(?=\d)|×(?=\d)/y;
const RATIO = /:(?=\d)/y;
const PER = /\/(?=\p{L})/uy;

/** A sign between two numbers that is said as a word. */
function rangeAt(
  text: string,
  at: number,
): { word: "to" | "by" | "ratio" | "per" | "over"; length: number } | undefined {
  for (const [pattern, word] of [
    [RANGE, "to"],
    [TIMES, "by"],
    [RATIO, "ratio"],
    [PER, "per"],
  ] as const) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { word, length: match[0].length };
  }
  // `4.5/5`; without decimals it may be a season.
  if (/[.,]\d{1,3}\/\d/.test(text.slice(Math.max(0, at - 4), at + 2))) return { word: "over", length: 1 };
  return undefined;
}

function readAt(text: string, at: number, language: SpeechLanguage, before: string): Reading | undefined {
  const character = text[at];
  const isInside = at > 0 && /[\p{L}\p{M}\p{N}]/u.test(text[at - 1]);
  const readers = /\d/.test(character)
    ? AT_DIGIT
    : /\p{L}/u.test(character)
      ? AT_LETTER
      : /[$€£¥₹₿+\-−±~≈(.'@#½⅓⅔¼¾⅕⅛⅜⅝⅞]/.test(character)
        ? AT_SIGN
        : [];
  // The rest of a word that was cut, or a point behind it, starts nothing new.
  if (isInside && !/[\d½⅓⅔¼¾]/.test(character)) return undefined;
  const place = { text, at, language, before };
  for (const reader of readers) {
    const reading = reader(place);
    if (reading) return reading;
  }
  return undefined;
}

/** Whether the point of a short form ends the sentence too. */
function endsAtPoint(text: string, at: number, point: Reading["point"], language: SpeechLanguage): boolean {
  CLOSING.lastIndex = at;
  CLOSING.test(text);
  const behind = text.slice(CLOSING.lastIndex, CLOSING.lastIndex + 6);
  if (/^[ \t]*(?:$|\u2029)/.test(behind)) return true;
  if (point === "inside" || !/^\s+["'“(¿¡]?\p{Lu}/u.test(behind)) return false;
  const next = wordBehind(text, CLOSING.lastIndex).toLowerCase();
  if (point === "initial") return language.starters.has(next);
  return !ZONES_AND_DAYS.has(next) && !language.months.some(([month]) => month.toLowerCase() === next);
}

/** They stand behind a time of day in the same sentence. */
const ZONES_AND_DAYS = new Set(
  "est edt pst pdt cst cdt mst et pt ct gmt utc cet cest bst monday tuesday wednesday thursday friday saturday sunday".split(
    " ",
  ),
);

function markAt(text: string, at: number): (ReadItem & { kind: "mark" }) | undefined {
  const isFree = at === 0 || /[\s\u2029]/.test(text[at - 1]);
  const character = text[at];
  if (character === "(" || character === ")" || character === "[" || character === "]") {
    return { kind: "mark", mark: ",", from: at, to: at + 1, endsSentence: false };
  }
  if (character === "-" && isFree && /\s/.test(text[at + 1] ?? "")) {
    return { kind: "mark", mark: "—", from: at, to: at + 1, endsSentence: false };
  }
  MARKS.lastIndex = at;
  const match = MARKS.exec(text);
  if (!match) return undefined;
  const signs = match[0];
  const mark = markOf(signs);
  const end = at + signs.length;
  if (!mark || (signs === "–" && !isFree)) return undefined;
  if (!/[.!?…]/.test(mark)) return { kind: "mark", mark, from: at, to: end, endsSentence: false };
  CLOSING.lastIndex = end;
  CLOSING.test(text);
  const to = CLOSING.lastIndex;
  const behind = text.slice(to, to + 8);
  const isEnd = /^(?:$|[\s\u2029])/.test(behind) || /[。！？]/.test(signs);
  // `done.Next` lacks its space.
  const isRunOn = to === end && /^\p{Lu}\p{Ll}/u.test(behind) && /\p{Ll}/u.test(text[at - 1] ?? "");
  // `Wait... what?` goes on.
  const goesOn = mark === "…" && /^\s+\p{Ll}/u.test(behind);
  if (signs === "." && !isEnd && !isRunOn) return undefined;
  return { kind: "mark", mark, from: at, to, endsSentence: (isEnd || isRunOn) && !goesOn };
}

function markOf(signs: string): Mark | undefined {
  if (/[?？‽]/.test(signs)) return "?";
  if (/[!！]/.test(signs)) return "!";
  if (signs === "." || signs[0] === "。") return ".";
  if (/^\.{2}|…/.test(signs)) return "…";
  if (/[;；]/.test(signs)) return ";";
  if (/[:：]/.test(signs)) return ":";
  if (/[,،，、]/.test(signs)) return ",";
  return /[—–-]/.test(signs) ? "—" : undefined;
}

/** The word for a sign that stands between words; none for those that only divide. */
function symbolAt(text: string, at: number, language: SpeechLanguage): string | undefined {
  const sign = text[at];
  const [before, behind] = [text[at - 1] ?? " ", text[at + 1] ?? " "];
  if (before === sign) return undefined;
  if (sign === ".") {
    const isDecimal = language.decimalMark === "." && /\d/.test(before + behind);
    return isDecimal ? language.words.point : language.words.dot;
  }
  const isFree = /[\s\d)]/.test(before) && /[\s\d(]/.test(behind);
  if ("*=+°×÷−".includes(sign) && !isFree) return undefined;
  if (
    "<>^".includes(sign) &&
    !/\d/.test(before + behind) &&
    !/\d/.test(text.slice(at - 2, at) + text.slice(at + 1, at + 3))
  )
    return undefined;
  return Object.hasOwn(language.symbols, sign) ? language.symbols[sign] : undefined;
}
