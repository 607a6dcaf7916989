// What a language needs to know to say what is written in it.

export type Gender = "m" | "f";

/** A noun that is counted: its singular, its plural, and its gender (default m). */
export type CountedNoun = readonly [one: string, many: string, gender?: Gender];

export interface Currency {
  unit: CountedNoun;
  /** A hundredth of it; none for currencies that have no parts. */
  part?: CountedNoun;
}

/** A short form with its point, as it is written in the middle of a sentence. */
export interface Abbreviation {
  said: string;
  /** It may be the last word of a sentence, so its point may end it: `etc.`, `p.m.` */
  mayEnd?: boolean;
  /** Only before a number: `No. 5`. */
  beforeNumber?: boolean;
  /** Said before a name: `St. James`. `said` is for all other places. */
  beforeName?: string;
}

export interface CalendarDate {
  day: number;
  /** 1 to 12. */
  month: number;
  year?: number;
}

export interface SpeechLanguage {
  /** ISO 639-1. */
  code: string;
  cardinal(value: bigint): string;
  /** The masculine form unless `gender` says otherwise. `value` is at least 1. */
  ordinal(value: number, gender?: Gender): string;
  /** Number words as they stand before a noun: `uno` becomes `un` or `una`. */
  agree(words: string, gender: Gender): string;
  /** A year as it is said in a date, 1 to 9999. */
  year(value: number): string;
  /** `before`: the word before it, in lower case. */
  date(date: CalendarDate, before: string): string;
  /** `minute` 0–59; `half` for a 12-hour clock. */
  clock(hour: number, minute: number, half?: "am" | "pm"): string;
  decimalMark: "." | ",";
  /** Digits of a phone number are said in pairs, not one by one. */
  phonePairs?: boolean;
  /** 5/3 is the third of May, or with this the fifth of March's month first. */
  monthFirst?: boolean;
  /** Month names as they are said, each with the short forms that stand for it. */
  months: readonly (readonly string[])[];
  /** Words said for what stands between or beside other words. */
  words: Readonly<
    Record<
      | "point"
      | "minus"
      | "plus"
      | "to"
      | "ratio"
      | "per"
      | "by"
      | "at"
      | "dot"
      | "slash"
      | "dash"
      | "underscore"
      | "over"
      | "number"
      | "hashtag"
      | "and"
      | "moneyAnd"
      | "about",
      string
    >
  >;
  /** Signs that are said alone. */
  symbols: Readonly<Record<string, string>>;
  units: Readonly<Record<string, CountedNoun>>;
  /** By sign and by ISO 4217 code. */
  currencies: Readonly<Record<string, Currency>>;
  /** Written behind a number: thousand, million. */
  magnitudes: Readonly<Record<string, CountedNoun>>;
  /** `millones de euros`: the noun behind a million. */
  ofMillion(noun: string): string;
  /** By their lower-case form with points. */
  abbreviations: Readonly<Record<string, Abbreviation>>;
  /** Letters that are words too, and how their names are written. */
  letterNames?: Readonly<Record<string, string>>;
  /** Ends of words that are short forms: `str.` */
  abbreviationEndings?: Readonly<Record<string, string>>;
  /** Nouns that are counted with the feminine form of a number. */
  feminine?: RegExp;
  /** Said otherwise than written, by lower case form: names with signs, acronyms with a sound of their own. */
  sayings: Readonly<Record<string, string>>;
  /** Words that often start a sentence, in lower case: they tell whether a point behind an initial ends one. */
  starters: ReadonlySet<string>;
  /** `1/2`, `3/4`. */
  fractions: Readonly<Record<string, string>>;
  /** What is written behind a number to make it an ordinal, with its gender. */
  ordinalMarks: Readonly<Record<string, Gender>>;
  /** A number with a point is an ordinal (`3. Platz`). */
  ordinalByPoint?: boolean;
  /** Said for a Roman number behind a name or noun. */
  roman(value: number, before: string): string;
  /** Four digits without a mark are said as a year. */
  isYear(value: number, before: string): boolean;
  /** Decades: the digits of `1990s`, `90s`. */
  decade?(value: number): string;
  /** Writes a decimal of two digits as a number, and others digit by digit. */
  decimals?: "number" | "digits";
}
