// Words that depend on a number.
import type { Language } from "./languages.ts";

/** Chooses between the form for one and the form for any other number: English, German and Spanish have no more. The
 *  number in it is written as the language writes numbers. */
export function pluralIn(language: Language): (count: number, one: string, other: string) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, one, other) => `${numbers.format(count)} ${rules.select(count) === "one" ? one : other}`;
}
