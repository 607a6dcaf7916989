// Detects the language of a text by its letters and its frequent words.
import type { Language } from "./language.ts";

/** Share of a text's letters from which on the text counts as written in a script. */
const SCRIPT_SHARE = 0.3;
/** Share of a script's letters from which on a language's own letters identify it. */
const OWN_SHARE = 0.03;
/** Share of frequent words above which a text counts as written in their language. */
const FREQUENT_SHARE = 0.04;

/** What detection needs of a language. */
export type Detectable = Pick<Language, "script" | "ownLetters" | "frequentWords">;

/** The name of the language that a text is written in, of those in `languages`; undefined if it is unclear. Takes time
 *  in proportion to the text. Never throws. */
export function detectLanguage<Name extends string>(
  text: string,
  languages: Readonly<Record<Name, Detectable>>,
): Name | undefined {
  const entries = Object.entries(languages) as [Name, Detectable][];
  const letters = count(text, /\p{L}/gu);
  const written = entries.find(([, { script, ownLetters }]) => {
    const inScript = script ? count(text, script) : 0;
    if (inScript === 0 || inScript < letters * SCRIPT_SHARE) return false;
    return !ownLetters || count(text, ownLetters) >= inScript * OWN_SHARE;
  });
  if (written) return written[0];
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best: Name | undefined;
  // More than one word: a single match may be a name or a quotation.
  let most = Math.max(1, words.length * FREQUENT_SHARE);
  for (const [name, { frequentWords }] of entries) {
    const found = frequentWords ? words.filter((word) => frequentWords.has(word)).length : 0;
    if (found > most) [best, most] = [name, found];
  }
  return best;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
