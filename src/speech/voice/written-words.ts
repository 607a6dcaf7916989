// Times of the words that were said, for the words that were written.
import type { PreparedWord } from "../text/prepared-sentence.ts";
import type { SpokenWord } from "./espeak-messages.ts";
import type { TimedWord } from "./voice.ts";

/** Each written word with the time of the first word that is said for it: `$5` starts with its "five". `text`: the
 *  whole text of the caller; `words`: those of one sentence of it; `spoken`: what the synthesizer reported of its
 *  spoken line, in order of time; `durationMs`: of the sentence. A word lasts until the next one. Never throws. */
export function writtenWords(
  text: string,
  words: readonly PreparedWord[],
  spoken: readonly SpokenWord[],
  durationMs: number,
): TimedWord[] {
  const written: TimedWord[] = [];
  let index = 0;
  let last = -1;
  for (const { fromCharacter, startMs } of spoken) {
    while (index + 1 < words.length && words[index + 1].spokenFrom <= fromCharacter) index++;
    const word = words[index];
    if (!word || word.fromCharacter === last) continue;
    last = word.fromCharacter;
    const before = written.at(-1);
    if (before) before.endMs = startMs;
    const { fromCharacter: from, toCharacter } = word;
    written.push({ text: text.slice(from, toCharacter), startMs, endMs: durationMs, fromCharacter: from, toCharacter });
  }
  return written;
}
