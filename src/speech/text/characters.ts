// Characters that are written in several ways, in the one way that the readers know.

const QUOTE = "'";
const SINGLE: Readonly<Record<string, string>> = Object.freeze({
  "\u02bc": QUOTE,
  "\u2018": QUOTE,
  "\u2019": QUOTE,
  "\u201b": QUOTE,
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "–",
  "\u2015": "—",
});
/** Full-width signs, ligatures, mathematical letters: texts use them as decoration. */
const COMPATIBLE = /^[\ufb00-\ufb06\uff01-\uff5e]|^[\u{1d400}-\u{1d7ff}]/u;
const MARKS = /\p{M}{1,8}/uy;
const MORE_MARKS = /\p{M}+/uy;
const SPACE = /^[\s\u00a0\u2000-\u200a\u202f\u3000]/u;
const KEPT = /^[\u2013\u2014\u2015\u2016\u2017\u2018-\u201f\u2028]/u;

/** What stands for the character at `at`, and how many code units of the text it takes: composed letters, plain
 *  quotes, hyphens and spaces; nothing for control characters. `previous`: the character before it in clean text.
 *  Never throws. */
export function plainCharacter(text: string, at: number, previous: string): { text: string; length: number } {
  const code = text.codePointAt(at) ?? 0;
  const character = String.fromCodePoint(code);
  if (COMPATIBLE.test(character)) return { text: character.normalize("NFKC"), length: character.length };
  if (SPACE.test(character)) return { text: " ", length: 1 };
  const plain = SINGLE[character];
  if (plain) return { text: plain, length: 1 };
  MARKS.lastIndex = at;
  if (MARKS.test(text)) return marked(text, at, MARKS.lastIndex, previous);
  if (KEPT.test(character)) return { text: character, length: character.length };
  return { text: "", length: character.length };
}

/** An accent behind its letter. The letter was already taken, so what is kept here is the accent; letters of Latin
 *  script are composed later, where a word is read. Piles of accents are cut. */
function marked(text: string, from: number, to: number, previous: string): { text: string; length: number } {
  MORE_MARKS.lastIndex = to;
  const end = MORE_MARKS.test(text) ? MORE_MARKS.lastIndex : to;
  const isLetter = /\p{L}|\p{M}/u.test(previous);
  const kept = end === to ? text.slice(from, to) : text.slice(from, from + 1);
  return { text: isLetter && !/^[\ufe00-\ufe0f]/.test(kept) ? kept : "", length: end - from };
}
