// Splits a document's text into passages: small enough that several fit into a conversation's context, large enough to
// be understood.

export interface Passage {
  /** The headings above the passage, outermost first, with " > " between them; may be empty. */
  heading: string;
  text: string;
}

/** Target length of a passage in characters: about 250 words. */
const TARGET_CHARACTERS = 1_500;
/** Longest heading kept. */
const MAX_HEADING_CHARACTERS = 200;
const HEADING = /^(#{1,6})\s+(.*\S)\s*$/;

/** Passages in order, without overlap. Splits between paragraphs where possible, else between sentences. */
export function splitText(text: string): Passage[] {
  const passages: Passage[] = [];
  const headings: string[] = [];
  let pending = "";

  function flush(): void {
    const whole = pending.trim();
    if (whole !== "") passages.push({ heading: headings.filter(Boolean).join(" > "), text: whole });
    pending = "";
  }

  for (const block of text.split(/\n(?=#{1,6} )|\n\n+/)) {
    const [first, ...rest] = block.split("\n");
    const match = HEADING.exec(first);
    const body = match ? rest.join("\n") : block;
    if (match) {
      flush();
      headings.length = match[1].length - 1;
      headings[match[1].length - 1] = match[2].slice(0, MAX_HEADING_CHARACTERS);
    }
    for (const piece of fitting(body)) {
      if (pending.length + piece.length > TARGET_CHARACTERS) flush();
      pending += `${piece}\n\n`;
    }
  }
  flush();
  return passages;
}

/** Parts of a paragraph that is too long: split at lines, else at sentences, else at words. */
function fitting(paragraph: string): string[] {
  let pieces = [paragraph];
  for (const cut of [/(?<=\n)/, /(?<=[.!?…。！？]["'”’)]?\s)|(?<=[。！？])/u, /(?<=\s)/, /(?<=.)/su]) {
    pieces = pieces.flatMap((piece) => (piece.length <= TARGET_CHARACTERS ? [piece] : joined(piece.split(cut))));
  }
  return pieces;
}

/** Joins neighbouring parts while they fit. */
function joined(parts: readonly string[]): string[] {
  const pieces: string[] = [];
  for (const part of parts) {
    const last = pieces.length - 1;
    if (last >= 0 && pieces[last].length + part.length <= TARGET_CHARACTERS) pieces[last] += part;
    else pieces.push(part);
  }
  return pieces;
}
