// Finds the long strings in JSON text as it arrives, and returns them in pieces. It only looks for the beginning and
// the end of strings; JSON.parse checks the rest. Why no library is used: docs/decisions, "What stays by hand".
import { GrowingBytes } from "./growing-bytes.ts";

const QUOTE = 0x22;
const QUOTE_BYTES = Buffer.from('"');
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** `text`: bytes outside long strings, quotes included, valid until the next piece is taken; copy them. `begin`,
 *  `piece`, `end`: one long string, unescaped. */
export type JsonPiece =
  | { kind: "text"; bytes: Buffer }
  | { kind: "begin" }
  | { kind: "piece"; text: string }
  | { kind: "end" };

/** Splits one JSON text. Strings in `piece` are treated as Latin-1, which is correct for base64 only. */
export class JsonStrings {
  readonly #longBytes: number;
  #isInString = false;
  #isLong = false;
  /** The current string while it is short. */
  readonly #short = new GrowingBytes();
  /** The end of a chunk that contains the beginning of an escape sequence. */
  #pending: Buffer | null = null;

  /** Strings of more than `longBytes` count as long. */
  constructor(longBytes: number) {
    this.#longBytes = longBytes;
  }

  /** True while a string is open. At the end of the text, this is an error. */
  get isInString(): boolean {
    return this.#isInString;
  }

  /** The pieces of the next chunk. The chunk may be reused after they were taken. */
  *push(received: Buffer): Generator<JsonPiece> {
    const chunk = this.#pending ? Buffer.concat([this.#pending, received]) : received;
    this.#pending = null;
    let at = 0;
    while (at < chunk.length) {
      if (!this.#isInString) {
        const quote = chunk.indexOf(QUOTE, at);
        const end = quote < 0 ? chunk.length : quote + 1;
        yield { kind: "text", bytes: chunk.subarray(at, end) };
        this.#isInString = quote >= 0;
        at = end;
        continue;
      }
      const end = endOfLiteral(chunk, at);
      yield* this.#add(chunk.subarray(at, end.at));
      if (end.isQuote) yield* this.#finish();
      else if (end.at < chunk.length) this.#pending = Buffer.from(chunk.subarray(end.at));
      at = end.isQuote ? end.at + 1 : chunk.length;
    }
  }

  *#add(literal: Buffer): Generator<JsonPiece> {
    if (this.#isLong) {
      yield { kind: "piece", text: unescapeBase64(literal) };
      return;
    }
    this.#short.append(literal);
    if (this.#short.length <= this.#longBytes) return;
    this.#isLong = true;
    yield { kind: "begin" };
    yield { kind: "piece", text: unescapeBase64(this.#short.view) };
    this.#short.clear();
  }

  *#finish(): Generator<JsonPiece> {
    if (this.#isLong) yield { kind: "end" };
    this.#short.append(QUOTE_BYTES);
    yield { kind: "text", bytes: this.#short.view };
    this.#isInString = false;
    this.#isLong = false;
    this.#short.clear();
  }
}

/** Where the string that continues at `from` ends within a chunk: at its quote, before an escape sequence that the
 *  chunk cuts in two, or at the end of the chunk. */
function endOfLiteral(chunk: Buffer, from: number): { at: number; isQuote: boolean } {
  let at = from;
  let quote = chunk.indexOf(QUOTE, from);
  for (;;) {
    if (quote >= 0 && quote < at) quote = chunk.indexOf(QUOTE, at);
    const limit = quote < 0 ? chunk.length : quote;
    const distance = chunk.subarray(at, limit).indexOf(BACKSLASH);
    if (distance < 0) return { at: limit, isQuote: quote >= 0 };
    const start = at + distance;
    const length = chunk[start + 1] === LETTER_U ? 6 : 2;
    if (start + length > chunk.length) return { at: start, isQuote: false };
    at = start + length;
  }
}

/** Some JSON writers escape the slash, or write the plus sign as a numeric escape. */
function unescapeBase64(literal: Buffer): string {
  const text = literal.toString("latin1");
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (whole: string, code?: string, character?: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (character === "/") return "/";
    return character === "n" || character === "r" || character === "t" ? " " : whole;
  });
}
