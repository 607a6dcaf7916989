// What Spanish, Italian and Portuguese share.
import type { Gender } from "./speech-language.ts";

/** An ordinal in its gender: every word of it ends in -o or -a. */
export function withGender(ordinal: string, gender: Gender): string {
  return gender === "m" ? ordinal : ordinal.replace(/o(?= |$)/g, "a");
}

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
