// Turns the words of a sentence into the tokens of the network.

import type { PronouncedWord } from "../../pronunciation/english-pronouncer.ts";
import { SYMBOL_NUMBERS } from "./network-symbols.ts";

/** Most tokens that the network is given at a time. Its style tables have a row for each number of tokens below it. */
export const MOST_TOKENS = 319;

/** One or more tokens that are one sound, or the silence between sounds. */
export interface TokenGroup {
  /** A phoneme with its stress mark, a punctuation mark, or a space. Empty for the begin and the end. */
  symbol: string;
  /** Index of its word; −1 between words. */
  word: number;
  tokenCount: number;
}

export interface SentenceTokens {
  /** With the begin and the end. */
  numbers: number[];
  /** In order; their counts add up to `numbers.length`. */
  groups: TokenGroup[];
}

const BEFORE_A_SOUND = /[ˈˌ]/u;
const AFTER_A_SOUND = /ː|ʰ|ʲ|\u0303/u;
const EDGE: TokenGroup = { symbol: "", word: -1, tokenCount: 1 };

/** The tokens of a sentence. Letters that the network does not know, and all after MOST_TOKENS, are left out. */
export function sentenceTokens(words: readonly PronouncedWord[]): SentenceTokens {
  const groups: TokenGroup[] = [];
  const numbers: number[] = [];
  for (const [index, { phonemes, mark }] of words.entries()) {
    const sounds = soundsOf(phonemes).map((symbol) => ({ symbol, word: index }));
    const space = numbers.length > 0 ? [{ symbol: " ", word: -1 }] : [];
    const after = [...mark].map((symbol) => ({ symbol, word: -1 }));
    for (const { symbol, word } of [...space, ...sounds, ...after]) {
      const known = [...symbol].map((letter) => SYMBOL_NUMBERS.get(letter)).filter((number) => number !== undefined);
      if (known.length === 0 || numbers.length + known.length > MOST_TOKENS) continue;
      groups.push({ symbol, word, tokenCount: known.length });
      numbers.push(...known);
    }
  }
  return { numbers: [0, ...numbers, 0], groups: [EDGE, ...groups, EDGE] };
}

/** The sounds of a word, each with the marks that belong to it. */
function soundsOf(phonemes: string): string[] {
  const sounds: string[] = [];
  let stress = "";
  for (const letter of phonemes) {
    if (BEFORE_A_SOUND.test(letter)) stress += letter;
    else if (AFTER_A_SOUND.test(letter) && sounds.length > 0) sounds.push(sounds.pop() + letter);
    else {
      sounds.push(stress + letter);
      stress = "";
    }
  }
  return sounds;
}
