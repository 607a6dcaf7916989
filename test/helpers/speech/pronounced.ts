// Sentences with their phonemes, for tests of the neural voice.
import type { PhonemeSentence } from "../../../src/speech/voice/neural/phoneme-sentence.ts";

/** Reads words as `written/phonemes`, separated by spaces, in Misaki's letters, with the mark behind them. */
export function pronounced(notation: string): PhonemeSentence {
  const text = notation.replace(/\/[^\s.,!?]+/gu, "");
  let searchFrom = 0;
  const words = notation.split(" ").map((part) => {
    const [, word, phonemes, mark] = /^([^/]+)\/([^.,!?]+)([.,!?]?)$/u.exec(part) ?? [];
    const fromCharacter = text.indexOf(word, searchFrom);
    searchFrom = fromCharacter + word.length;
    return { text: word, fromCharacter, toCharacter: searchFrom, phonemes, mark: mark as "." | "," | "!" | "?" | "" };
  });
  return { text, words };
}
