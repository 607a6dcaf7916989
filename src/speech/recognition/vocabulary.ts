// The words and parts of words that the recogniser writes, and its special tokens.
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Content of `vocabulary.json.br`. */
interface VocabularyFile {
  tokens: string[];
  languages: Record<string, number>;
  suppressed: number[];
  suppressedFirst: number[];
  start: number;
  transcribe: number;
  noSpeech: number;
  noTimestamps: number;
  end: number;
}

/** Bytes that stand for themselves in the vocabulary: those that print, except spaces. The others stand behind Latin
 *  letters from 256 on, in order. Source: GPT-2's byte-level vocabulary. */
const PRINTED: readonly (readonly [number, number])[] = [
  [0x21, 0x7e],
  [0xa1, 0xac],
  [0xae, 0xff],
];
const byteOfLetter = bytesOfLetters();

export class Vocabulary {
  /** Token of each language, by ISO 639-1 code (a few have three letters). */
  readonly languages: ReadonlyMap<string, number>;
  /** Tokens that are never written: marks that are not said, and special ones. */
  readonly suppressed: ReadonlySet<number>;
  /** Tokens that do not begin a text: a bare space and the end. */
  readonly suppressedFirst: ReadonlySet<number>;
  readonly start: number;
  readonly transcribe: number;
  readonly noSpeech: number;
  readonly noTimestamps: number;
  readonly end: number;
  readonly #tokens: readonly string[];

  constructor(file: VocabularyFile) {
    this.languages = new Map(Object.entries(file.languages));
    this.suppressed = new Set(file.suppressed);
    this.suppressedFirst = new Set(file.suppressedFirst);
    this.start = file.start;
    this.transcribe = file.transcribe;
    this.noSpeech = file.noSpeech;
    this.noTimestamps = file.noTimestamps;
    this.end = file.end;
    this.#tokens = file.tokens;
  }

  /** `packed`: the file, verified by the caller. */
  static async unpack(packed: Uint8Array): Promise<Vocabulary> {
    return new Vocabulary(JSON.parse((await promisify(brotliDecompress)(packed)).toString("utf8")));
  }

  /** True for tokens that are words or parts of words. */
  isText(token: number): boolean {
    return token < this.#tokens.length;
  }

  /** The text of tokens; special ones have none. Bytes that are no UTF-8 (a letter cut in half) become U+FFFD. */
  textOf(tokens: readonly number[]): string {
    const letters = tokens.map((token) => this.#tokens[token] ?? "").join("");
    return Buffer.from(Array.from(letters, (letter) => byteOfLetter.get(letter) ?? 0x3f)).toString("utf8");
  }
}

function bytesOfLetters(): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const prints = PRINTED.some(([from, to]) => byte >= from && byte <= to);
    bytes.set(String.fromCodePoint(prints ? byte : next++), byte);
  }
  return bytes;
}
