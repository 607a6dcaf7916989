// Whether a text breaks off within markup, so that its halves would be read aloud.

/** Openings further back have no end: a bracket in the text. */
const REACH_CHARACTERS = 300;
const FENCE_LINE = /^[ \t]*(?:`{3,}|~{3,})/gm;
const OPEN_ENDS: readonly RegExp[] = [
  // The text of a link, or its description.
  /\[[^\]]*$/,
  // A link's address and title.
  /\]\([^)]*$/,
  // A tag.
  /<[\p{L}/!][^>]*$/u,
];

/** True if `text` ends within a block of code, a link or a tag. Emphasis may be divided: its signs are dropped one by
 *  one. */
export function endsInMarkup(text: string): boolean {
  if ((text.match(FENCE_LINE)?.length ?? 0) % 2 === 1) return true;
  const end = text.slice(-REACH_CHARACTERS);
  return OPEN_ENDS.some((open) => open.test(end));
}
