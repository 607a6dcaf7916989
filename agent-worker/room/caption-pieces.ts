// How a caption grows: a sentence in pieces, each with the time at which it begins to be heard.
import type { SentenceTimes } from "../../src/speech/voice/voice.ts";

/** A part of a caption. */
export interface CaptionPiece {
  /** When it begins to be heard, ms. */
  startMs: number;
  text: string;
}

/** The words of a sentence with the marks around them, and their times from its start. All pieces together are its
 *  text. A sentence of a voice that tells no words is one piece. */
export function captionPieces({ text, words }: Pick<SentenceTimes, "text" | "words">): CaptionPiece[] {
  const pieces: CaptionPiece[] = [];
  let pieceEnd = 0;
  let wordEnd = 0;
  for (const { startMs, at, end } of placesOf(text, words)) {
    const before = pieces.at(-1);
    if (before) {
      // Marks up to the space belong to the word before, what follows it to this one.
      const space = text.slice(wordEnd, at).search(/\s/);
      const boundary = space < 0 ? at : wordEnd + space;
      before.text = text.slice(pieceEnd, boundary);
      pieceEnd = boundary;
    }
    pieces.push({ startMs, text: text.slice(pieceEnd) });
    wordEnd = end;
  }
  return pieces.length > 0 ? pieces : [{ startMs: 0, text }];
}

/** Where the words are in the text, which may be without the markup that their places count. */
function* placesOf(
  text: string,
  words: SentenceTimes["words"],
): Generator<{ startMs: number; at: number; end: number }> {
  let shift = -(words[0]?.fromCharacter ?? 0);
  let wordEnd = 0;
  let last: number | undefined;
  for (const { text: word, startMs, fromCharacter, toCharacter } of words) {
    // Several words may be said for one that is written: twenty-five for 25.
    if (fromCharacter === last) continue;
    last = fromCharacter;
    const found = word === "" ? -1 : text.indexOf(word, wordEnd);
    const at = found < 0 ? fromCharacter + shift : found;
    const end = at + (found < 0 ? toCharacter - fromCharacter : word.length);
    if (at < wordEnd || end > text.length) continue;
    shift = at - fromCharacter;
    wordEnd = end;
    yield { startMs, at, end };
  }
}
