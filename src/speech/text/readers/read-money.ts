// Money: `$3.50`, `3,50 €`, `USD 5`, `$2.5 million`, `$5–10`.
import type { CountedNoun, Currency, SpeechLanguage } from "../../languages/reading/speech-language.ts";
import { say } from "../said.ts";
import { type Numeral, numeralAt, sayCount, sayNumeral } from "./numerals.ts";
import { isWordAt, matchAt, type Reading, type ReadingPlace } from "./reader.ts";

const SIGN_BEFORE = /([-−+]?)((?:US|C|A|R)?\$|[€£¥₹₿]|[A-Z]{3}(?=\s?\d))\s?([-−]?)(?=\d)/y;
const SIGN_BEHIND = /\s?((?:US|C|A|R)?\$|[€£¥₹₿¢]|[A-Z]{3})/y;
const MAGNITUDE = /\s?([\p{L}]{1,12}\.?)/uy;
const RANGE = /\s?[-–]\s?(?=\d)/y;

/** An amount with its currency before or behind it. */
export function readMoney(place: ReadingPlace): Reading | undefined {
  const { text, at, language } = place;
  const sign = matchAt(SIGN_BEFORE, place);
  const before = sign ? language.currencies[sign[2]] : undefined;
  if (sign && !before) return undefined;
  const from = at + (sign?.[0].length ?? 0);
  const numeral = numeralAt(text, from, language);
  if (!numeral) return undefined;
  let end = from + numeral.length;
  const isMinus = /[-−]/.test(`${sign?.[1]}${sign?.[3]}`);
  const minus = isMinus ? `${language.words.minus} ` : "";
  if (sign && before) {
    const range = rangeBehind(text, end, language);
    if (range) {
      const scale = magnitudeAt(text, range.end, language, true);
      const to = scale ? sayScaled(range.numeral, scale, before, language) : sayAmount(range.numeral, before, language);
      const said = `${sayNumeral(numeral, language)} ${language.words.to} ${to}`;
      return { length: (scale?.end ?? range.end) - at, said: say(said), isNumber: true };
    }
  }
  const isBeforeSign = /^ ?\p{L}{1,2}[€$£]/u.test(text.slice(end, end + 4));
  const magnitude = magnitudeAt(text, end, language, Boolean(before) || isBeforeSign);
  if (magnitude) end = magnitude.end;
  let currency = before;
  if (!currency) {
    SIGN_BEHIND.lastIndex = end;
    const behind = SIGN_BEHIND.exec(text);
    currency = behind ? language.currencies[behind[1]] : undefined;
    if (!behind || !currency || (/[A-Z]$/.test(behind[1]) && isWordAt(text, end + behind[0].length))) return undefined;
    end += behind[0].length;
  }
  const said = magnitude ? sayScaled(numeral, magnitude, currency, language) : sayAmount(numeral, currency, language);
  return { length: end - at, said: say(minus + said), isNumber: true };
}

function sayAmount(numeral: Numeral, currency: Currency, language: SpeechLanguage): string {
  const { whole, decimals } = numeral;
  if (decimals === "" || !currency.part || decimals.length > 2) return sayCount(numeral, currency.unit, language);
  const parts = decimals.padEnd(2, "0");
  const unit = sayCount({ whole, decimals: "" }, currency.unit, language);
  if (parts === "00") return unit;
  const part = sayCount({ whole: String(Number(parts)), decimals: "" }, currency.part, language);
  return /^0+$/.test(whole) ? part : `${unit} ${language.words.moneyAnd} ${part}`;
}

function sayScaled(
  numeral: Numeral,
  { noun, isMillion }: { noun: CountedNoun; isMillion: boolean },
  { unit }: Currency,
  language: SpeechLanguage,
): string {
  return `${sayCount(numeral, noun, language)} ${isMillion ? language.ofMillion(unit[1]) : unit[1]}`;
}

function rangeBehind(
  text: string,
  at: number,
  language: SpeechLanguage,
): { numeral: Numeral; end: number } | undefined {
  RANGE.lastIndex = at;
  const range = RANGE.exec(text);
  const from = at + (range?.[0].length ?? 0);
  const numeral = range ? numeralAt(text, from, language) : null;
  return numeral ? { numeral, end: from + numeral.length } : undefined;
}

/** The word for thousand or million behind a number. Single letters count only beside a currency. */
export function magnitudeAt(text: string, at: number, language: SpeechLanguage, areLettersAllowed: boolean) {
  MAGNITUDE.lastIndex = at;
  const match = MAGNITUDE.exec(text);
  if (!match) return undefined;
  const written = match[1] in language.magnitudes ? match[1] : match[1].replace(/\.$/, "");
  const noun = Object.hasOwn(language.magnitudes, written) ? language.magnitudes[written] : undefined;
  const wholeEnd = at + match[0].length;
  // The point of `Mio.` belongs to it, unless the text ends there.
  const isLast = /^\s*(?:$|\u2029)/.test(text.slice(wholeEnd, wholeEnd + 4)) || written.length > 4;
  const end = wholeEnd - (isLast ? match[1].length - written.length : 0);
  const isShort = written.length <= 2;
  if (
    !noun ||
    isWordAt(text, end) ||
    (isShort && (!areLettersAllowed || (/\s/.test(match[0]) && !/[€$£]/.test(text[end] ?? ""))))
  )
    return undefined;
  return { noun, end, isMillion: noun[0] !== noun[1] };
}
