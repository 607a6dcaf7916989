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

/** The tokens of a sentence. Letters that the network does not know are left out, and so is the end of a single word of
 *  more than MOST_TOKENS. `words`: one part, see `partsThatFit`. */
export function sentenceTokens(words: readonly PronouncedWord[]): SentenceTokens {
  const groups: TokenGroup[] = [];
  const numbers: number[] = [];
  for (const [index, word] of words.entries()) {
    for (const { symbol, isSound, tokens } of symbolsOf(word, index === 0)) {
      if (numbers.length + tokens.length > MOST_TOKENS) continue;
      groups.push({ symbol, word: isSound ? index : -1, tokenCount: tokens.length });
      numbers.push(...tokens);
    }
  }
  return { numbers: [0, ...numbers, 0], groups: [EDGE, ...groups, EDGE] };
}

/** Divides a sentence into parts that the network can be given at a time, one if the whole fits. A part ends at its
 *  last clause mark behind the middle of what fits, else where the most words fit. What is written as one (an address)
 *  is torn apart only if it does not fit. */
export function partsThatFit(words: readonly PronouncedWord[]): PronouncedWord[][] {
  const parts: PronouncedWord[][] = [];
  for (let from = 0; from < words.length; ) {
    const count = wordsThatFit(words.slice(from));
    parts.push(words.slice(from, from + count));
    from += count;
  }
  return parts.length > 0 ? parts : [[]];
}

function wordsThatFit(words: readonly PronouncedWord[]): number {
  let tokens = 0;
  let [clause, whole, fitting] = [0, 0, 0];
  for (const [index, word] of words.entries()) {
    tokens += symbolsOf(word, index === 0).reduce((sum, symbol) => sum + symbol.tokens.length, 0);
    if (tokens > MOST_TOKENS) return clause || whole || fitting || 1;
    fitting = index + 1;
    if (words[index + 1]?.fromCharacter === word.fromCharacter) continue;
    whole = fitting;
    if (word.mark !== "" && tokens > MOST_TOKENS / 2) clause = fitting;
  }
  return words.length;
}

interface WordSymbol {
  /** A sound with its marks, a punctuation mark, or the space before the word. */
  symbol: string;
  isSound: boolean;
  /** At least one. */
  tokens: number[];
}

/** What the network knows of a word. */
function symbolsOf({ phonemes, mark }: PronouncedWord, isFirst: boolean): WordSymbol[] {
  const sounds = soundsOf(phonemes).map((symbol) => ({ symbol, isSound: true }));
  const others = (text: string) => [...text].map((symbol) => ({ symbol, isSound: false }));
  return [...others(isFirst ? "" : " "), ...sounds, ...others(mark)].flatMap(({ symbol, isSound }) => {
    const tokens = [...symbol].map((letter) => SYMBOL_NUMBERS.get(letter)).filter((number) => number !== undefined);
    return tokens.length > 0 ? [{ symbol, isSound, tokens }] : [];
  });
}

/** The sounds of a word, each with the marks that belong to it. */
export function soundsOf(phonemes: string): string[] {
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
