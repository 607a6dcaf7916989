// Compressed files of lines, with the hash of the file.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline as connect, PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

export interface WrittenLines {
  rows: number;
  /** Of the compressed file, hex. */
  sha256: string;
}

const OWNER_ONLY = 0o600;
const LINE_FEED = 10;

/** Writes a new file, which only its owner may read. `lines` is text in which each line ends with a line feed. Throws
 *  the file system's error, or that of the source; the source is destroyed then. */
export async function writeLines(path: string, lines: Readable): Promise<WrittenLines> {
  let rows = 0;
  const counted = new PassThrough().on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) rows += 1;
  });
  const hash = createHash("sha256");
  const hashed = new PassThrough().on("data", (chunk: Buffer) => hash.update(chunk));
  const file = createWriteStream(path, { flags: "wx", mode: OWNER_ONLY });
  await pipeline(lines, counted, createGzip(), hashed, file);
  return { rows, sha256: hash.digest("hex") };
}

/** The text of a file that `writeLines` wrote. Throws the file system's error, or that of a broken file. */
export async function* readText(path: string): AsyncGenerator<Buffer> {
  // The callback gets the error that the last stream throws.
  yield* connect(createReadStream(path), createGunzip(), () => undefined);
}

/** Its lines. Node's readline would also break them at U+2028, which texts may hold. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of readText(path)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** SHA-256 of a file, hex. Throws the file system's error. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
