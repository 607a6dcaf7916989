// Turns the words of a sentence into the tokens of a Piper network.
import type { PronouncedWord } from "../../pronunciation/english-pronouncer.ts";
import { type SentenceTokens, soundsOf, type TokenGroup } from "../neural/sentence-tokens.ts";
import type { PiperConfig } from "./piper-config.ts";

/** The tokens of a sentence. A blank before a sound belongs to it: its lips move then. Letters that the network does
 *  not know are left out. */
export function piperTokens(words: readonly PronouncedWord[], letters: PiperConfig["phoneme_id_map"]): SentenceTokens {
  const [begin, blank, end] = [letters["^"], letters._, letters.$];
  const numbers = [...begin];
  const groups: TokenGroup[] = [{ symbol: "", word: -1, tokenCount: begin.length }];
  const add = (symbol: string, word: number): void => {
    const known = [...symbol.normalize("NFD")].flatMap((letter) => letters[letter] ?? []);
    if (known.length === 0) return;
    const tokens = known.flatMap((number) => [...blank, number]);
    numbers.push(...tokens);
    groups.push({ symbol, word, tokenCount: tokens.length });
  };
  for (const [index, { phonemes, mark }] of words.entries()) {
    if (index > 0) add(" ", -1);
    for (const sound of soundsOf(phonemes)) add(sound, index);
    for (const symbol of mark) add(symbol, -1);
  }
  numbers.push(...blank, ...end);
  groups.push({ symbol: "", word: -1, tokenCount: blank.length + end.length });
  return { numbers, groups };
}
