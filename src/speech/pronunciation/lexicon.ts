// A dictionary of pronunciations: one sorted text, searched in place, so that it costs its 5 MB and nothing more.
//
// Lines are `word<TAB>phonemes`, sorted by the bytes of the word. A word that sounds otherwise as another part of
// speech has that behind its first sound: `wind<TAB>wˈɪnd|VERB=wˈInd`.
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { requirePart } from "../../../program/parts/find-part.ts";

/** Parts of speech of the dictionary: Penn Treebank tags, or their families. `END`: before a pause. */
export type SpeechPart = "NOUN" | "VERB" | "ADJ" | "ADV" | "VBD" | "VBN" | "VBP" | "DT" | "END";

export interface LexiconEntry {
  phonemes: string;
  /** Where it sounds otherwise. */
  parts?: Partial<Record<SpeechPart, string>>;
}

const TAB = 9;
const NEWLINE = 10;
const MOST_BYTES = 20_000_000;
const decompress = promisify(brotliDecompress);

/** A dictionary in memory. */
export class Lexicon {
  readonly #lines: Buffer;

  /** `lines`: the sorted text, which ends with a newline. */
  constructor(lines: Buffer) {
    this.#lines = lines;
  }

  /** Reads `models/voice/lexicon/<accent>.txt.br`. Rejects if the file is missing or broken. */
  static async load(accent: "american" | "british"): Promise<Lexicon> {
    const packed = await readFile(new URL(`lexicon/${accent}.txt.br`, await requirePart("model-voice")));
    return new Lexicon(await decompress(packed, { maxOutputLength: MOST_BYTES }));
  }

  /** The entry of a word as it is written, capitals included; undefined for a word that is not listed. */
  find(word: string): LexiconEntry | undefined {
    if (word === "" || word.length > 64) return undefined;
    const wanted = Buffer.from(word);
    const lines = this.#lines;
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = middle === 0 ? 0 : lines.lastIndexOf(NEWLINE, middle - 1) + 1;
      const tab = lines.indexOf(TAB, start);
      const order = wanted.compare(lines, start, tab);
      if (order === 0) return entryOf(lines.toString("utf8", tab + 1, lines.indexOf(NEWLINE, tab)));
      if (order < 0) high = start;
      else low = lines.indexOf(NEWLINE, tab) + 1;
    }
    return undefined;
  }
}

function entryOf(line: string): LexiconEntry {
  const [phonemes, ...others] = line.split("|");
  if (others.length === 0) return { phonemes };
  return { phonemes, parts: Object.fromEntries(others.map((other) => other.split("="))) };
}
