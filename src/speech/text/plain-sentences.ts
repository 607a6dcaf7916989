// Sentences of languages that the synthesiser reads as they are written.
import type { CleanText } from "./clean-text.ts";
import { BLOCK_END } from "./markup.ts";
import type { PreparedSentence, PreparedWord } from "./prepared-sentence.ts";

const LONGEST = 280;
const LONGEST_FIRST = 140;

/** As `prepareSpeech`, but what is said is what is written; marks are part of the words. `shortest`: sentences of fewer
 *  characters are spoken with the next one. Never throws. */
export function* plainSentences(clean: CleanText, language: string, shortest: number): Generator<PreparedSentence> {
  const segmenter = segmenterOf(language, "sentence");
  const wordSegmenter = segmenterOf(language, "word");
  let isFirst = true;
  let from = 0;
  const text = clean.text.replaceAll(BLOCK_END, "\n");
  for (const { segment, index } of segmenter.segment(text)) {
    const end = index + segment.length;
    if (text.slice(from, end).trim().length < shortest && end < text.length) continue;
    while (from < end) {
      const limit = isFirst ? LONGEST_FIRST : LONGEST;
      const rest = text.slice(from, Math.min(end, from + limit + 1));
      const cut = rest.length <= limit ? rest.length : lastBreak(rest.slice(0, limit));
      const sentence = sentenceOf(clean, text, from, from + cut, wordSegmenter);
      if (sentence) {
        yield from + cut < end ? { ...sentence, goesOn: true } : sentence;
        isFirst = false;
      }
      from += cut;
    }
  }
}

function segmenterOf(language: string, granularity: "sentence" | "word"): Intl.Segmenter {
  try {
    return new Intl.Segmenter(language, { granularity });
  } catch {
    // Not a language tag: sentence ends are alike in most languages, so the default rules do.
    return new Intl.Segmenter("en", { granularity });
  }
}

function sentenceOf(
  clean: CleanText,
  text: string,
  from: number,
  to: number,
  segmenter: Intl.Segmenter,
): PreparedSentence | undefined {
  const written = text.slice(from, to);
  const spoken = written.trim();
  if (!/[\p{L}\p{N}]/u.test(spoken)) return undefined;
  const start = from + (written.length - written.trimStart().length);
  const words: PreparedWord[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(spoken)) {
    if (!isWordLike) continue;
    const [fromCharacter, toCharacter] = [clean.startOf(start + index), clean.endOf(start + index + segment.length)];
    words.push({ text: segment, isLetter: false, fromCharacter, toCharacter, spokenFrom: index, mark: "" });
  }
  return {
    text: spoken.replace(/\s+/g, " "),
    spoken: spoken.replace(/\s/g, " "),
    words,
    fromCharacter: clean.startOf(start),
    toCharacter: clean.endOf(start + spoken.length),
  };
}

/** Index after the last clause mark, else after the last space, else the whole length less a split surrogate pair. */
function lastBreak(text: string): number {
  const clause = Math.max(...[";", ":", ",", "、", "，", "；", "：", "،"].map((mark) => text.lastIndexOf(mark)));
  if (clause > text.length / 3) return clause + 1;
  const space = text.lastIndexOf(" ");
  if (space > 0) return space + 1;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}
