// Signs and units that mean the same everywhere: one table of a language's words serves all their spellings.
import type { CountedNoun } from "./speech-language.ts";

/** Signs that mean the same everywhere, with the words of one language. */
export function symbolsOf(
  words: Record<
    | "and"
    | "at"
    | "plus"
    | "equals"
    | "percent"
    | "times"
    | "less"
    | "greater"
    | "section"
    | "minus"
    | "squared"
    | "cubed"
    | "power",
    string
  >,
): Readonly<Record<string, string>> {
  return {
    "&": words.and,
    "@": words.at,
    "+": words.plus,
    "=": words.equals,
    "%": words.percent,
    "×": words.times,
    "*": words.times,
    "<": words.less,
    ">": words.greater,
    "§": words.section,
    "−": words.minus,
    "²": words.squared,
    "³": words.cubed,
    "^": words.power,
    "±": `${words.plus} ${words.minus}`,
  };
}

/** Other spellings of units. */
const UNIT_ALIASES: Readonly<Record<string, string>> = { m2: "m²", L: "l", kB: "KB" };

/** The units of one language, with their other spellings. */
export function unitsOf(units: Readonly<Record<string, CountedNoun>>): Readonly<Record<string, CountedNoun>> {
  const aliases = Object.entries(UNIT_ALIASES).map(([alias, unit]) => [alias, units[unit]]);
  return { ...units, ...Object.fromEntries(aliases) };
}
