// Which text belongs to which part of an utterance's audio: what was heard when it is cut off, and where to go on.
import type { SentenceTimes } from "./voice.ts";

/** A piece that the voice ends within this time before the cut counts as heard, ms: pieces end with a pause. */
const TAIL_MS = 80;
/** Audio is repeated from a little before the word that was cut, ms. */
const RUN_UP_MS = 30;

interface SpokenWord {
  startMs: number;
  endMs: number;
  /** Behind its last character, in the text of its piece. */
  toCharacter: number;
}

interface SpokenPieceText {
  text: string;
  startMs: number;
  /** Undefined while the voice speaks it. */
  endMs: number | undefined;
  words: SpokenWord[];
}

/** Times are ms from the start of the utterance. */
export class SpokenText {
  readonly #pieces: SpokenPieceText[] = [];

  /** The voice begins a piece of text. */
  begin(text: string, startMs: number): void {
    this.#pieces.push({ text, startMs, endMs: undefined, words: [] });
  }

  /** The voice begins a sentence of the piece. */
  addSentence({ words }: Pick<SentenceTimes, "words">, startMs: number): void {
    for (const word of words) {
      this.#pieces.at(-1)?.words.push({
        startMs: startMs + word.startMs,
        endMs: startMs + word.endMs,
        toCharacter: word.toCharacter,
      });
    }
  }

  /** The voice has spoken the piece. */
  end(endMs: number): void {
    const piece = this.#pieces.at(-1);
    if (piece) piece.endMs = endMs;
  }

  /** The words that were heard up to a time. A word counts once half of it was heard. */
  heardUntil(heardMs: number): string {
    let text = "";
    for (const piece of this.#pieces) {
      if (piece.startMs >= heardMs) break;
      text += heardOf(piece, heardMs);
    }
    return text.trim();
  }

  /** Where to go on after a cut: at the start of the word that was cut, or of the next one, ms. */
  resumeAt(heardMs: number): number {
    for (const { words, startMs } of this.#pieces) {
      const word = words.find(({ endMs }) => endMs > heardMs);
      if (word) return Math.max(startMs, Math.min(heardMs, word.startMs - RUN_UP_MS));
    }
    return heardMs;
  }
}

function heardOf({ text, startMs, endMs, words }: SpokenPieceText, heardMs: number): string {
  if (endMs !== undefined && heardMs >= endMs - TAIL_MS) return text;
  if (words.length > 0) {
    const last = words.findLast((word) => (word.startMs + word.endMs) / 2 <= heardMs);
    return last ? text.slice(0, last.toCharacter) : "";
  }
  // A voice without times: as much of the text as of the audio, in whole words.
  if (endMs === undefined) return "";
  const part = text.slice(0, Math.round((text.length * (heardMs - startMs)) / (endMs - startMs)));
  return part.slice(0, Math.max(0, part.lastIndexOf(" ")));
}
