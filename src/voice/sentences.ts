// Splits text into sentences that are synthesized one by one, for low latency of the first audio.

/** Shorter pieces are joined with the next one: `Dr.` or `1.` is no sentence, and very short ones sound clipped. */
const SHORTEST_SENTENCE_CHARACTERS = 12;
/** Longer sentences are cut at a comma or space: bounds the wait for the first audio and the work of one request. */
const LONGEST_SENTENCE_CHARACTERS = 280;
/** The same for the first one, for which the listener waits: 280 characters take a quarter of a second on a free
 *  machine, and much more beside other sessions. */
const LONGEST_FIRST_CHARACTERS = 140;

/** The sentences of a text in order, white space normalised, none empty. `language`: a BCP 47 tag. Never throws. */
export function splitSentences(text: string, language = "en"): string[] {
  const sentences: string[] = [];
  let carried = "";
  for (const { segment } of sentenceSegmenter(language).segment(text.replace(/\s+/g, " "))) {
    carried += segment;
    if (carried.trim().length < SHORTEST_SENTENCE_CHARACTERS) continue;
    sentences.push(...cutLong(carried.trim(), sentences.length === 0));
    carried = "";
  }
  if (carried.trim() !== "") sentences.push(carried.trim());
  return sentences;
}

function sentenceSegmenter(language: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(language, { granularity: "sentence" });
  } catch {
    // Not a language tag: sentence ends are alike in most languages, so the default rules do.
    return new Intl.Segmenter("en", { granularity: "sentence" });
  }
}

function cutLong(sentence: string, isFirst: boolean): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  for (;;) {
    const limit = isFirst && pieces.length === 0 ? LONGEST_FIRST_CHARACTERS : LONGEST_SENTENCE_CHARACTERS;
    if (rest.length <= limit) break;
    const cut = lastBreak(rest.slice(0, limit));
    pieces.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut);
  }
  if (rest.trim() !== "") pieces.push(rest.trim());
  return pieces;
}

/** Index after the last clause mark, else after the last space, else the whole length less a split surrogate pair. */
function lastBreak(text: string): number {
  const clause = Math.max(...[...",;:、，；："].map((mark) => text.lastIndexOf(mark)));
  if (clause > text.length / 3) return clause + 1;
  const space = text.lastIndexOf(" ");
  if (space > 0) return space + 1;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}
