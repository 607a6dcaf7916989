// Compressed files with one JSON value in each line, with the hash of the file.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

export interface WrittenLines {
  rows: number;
  /** Of the compressed file, hex. */
  sha256: string;
}

const OWNER_ONLY = 0o600;

/** Writes a new file, which only its owner may read, of lines without line breaks. Throws the file system's error, or
 *  that of the source. */
export async function writeLines(path: string, lines: AsyncIterable<string> | Iterable<string>): Promise<WrittenLines> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let rows = 0;
  const hash = createHash("sha256");
  const hashed = new PassThrough();
  hashed.on("data", (chunk: Buffer) => hash.update(chunk));
  async function* ended(): AsyncGenerator<string> {
    for await (const line of lines) {
      rows += 1;
      yield `${line}\n`;
    }
  }
  const file = createWriteStream(path, { flags: "wx", mode: OWNER_ONLY });
  await pipeline(Readable.from(ended()), createGzip(), hashed, file);
  return { rows, sha256: hash.digest("hex") };
}

/** The lines of a file that `writeLines` wrote. Throws the file system's error, or that of a broken file. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const text = createReadStream(path).pipe(createGunzip());
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
}

/** SHA-256 of a file, hex. Throws the file system's error. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
