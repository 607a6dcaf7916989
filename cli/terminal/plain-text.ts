// Text of others on a terminal: a name that holds control sequences could move the cursor or rewrite what was printed.
import { stripVTControlCharacters } from "node:util";

/** One line without control characters. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
}

/** Columns that the text takes: two for the wide letters of East Asia and for emoji, none for accents. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const letter of text) {
    if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(letter)) continue;
    columns +=
      /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]$|^\p{Emoji_Presentation}$|^[\u{20000}-\u{3fffd}]$/u.test(
        letter,
      )
        ? 2
        : 1;
  }
  return columns;
}

/** The beginning of a text that is wider than `columns`, with a mark: a line that wraps cannot be replaced. */
export function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const letters = [...text];
  while (letters.length > 0 && columnsOf(letters.join("")) >= columns) letters.pop();
  return `${letters.join("")}…`;
}
