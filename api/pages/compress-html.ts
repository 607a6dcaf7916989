// HTML is compressed for each answer, because it depends on the page's address: 0.3 ms for 16 KB.
import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";
import { type Encoding, encodingsOf } from "../kernel/http/accepted-encodings.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
const PARAMS = { [zlib.BROTLI_PARAM_QUALITY]: 5 };

export interface CompressedHtml {
  bytes: Uint8Array | string;
  /** How `bytes` are compressed. */
  encoding?: Encoding;
}

/** `acceptEncoding` is the caller's header; empty if there is none. */
export async function compressHtml(html: string, acceptEncoding: string): Promise<CompressedHtml> {
  const [encoding] = encodingsOf(acceptEncoding);
  if (encoding === "br") return { bytes: await brotliAsync(html, { params: PARAMS }), encoding };
  return encoding === "gzip" ? { bytes: await gzipAsync(html), encoding } : { bytes: html };
}
