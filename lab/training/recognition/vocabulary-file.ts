// The vocabulary in one packed file: what the service needs of `vocabulary.json` and `config.json`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

interface Configuration {
  suppress_ids: number[];
  suppress_ids_begin: number[];
  lang_ids: number[];
}

/** Words and their parts end here; languages, tasks and times follow. */
const FIRST_SPECIAL = 50_257;

/** Returns the bytes of `vocabulary.json.br`. `folder`: with both files. */
export function vocabularyFile(folder: string): Uint8Array {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const tokens = read("vocabulary.json") as string[];
  const { suppress_ids, suppress_ids_begin, lang_ids } = read("config.json") as Configuration;
  const text = JSON.stringify({
    tokens: tokens.slice(0, FIRST_SPECIAL),
    languages: Object.fromEntries(lang_ids.map((id) => [tokens[id].slice(2, -2), id])),
    suppressed: suppress_ids,
    suppressedFirst: suppress_ids_begin,
    start: tokens.indexOf("<|startoftranscript|>"),
    transcribe: tokens.indexOf("<|transcribe|>"),
    noSpeech: tokens.findIndex((token) => token === "<|nocaptions|>" || token === "<|nospeech|>"),
    noTimestamps: tokens.indexOf("<|notimestamps|>"),
    end: tokens.indexOf("<|endoftext|>"),
  });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(Buffer.from(text), { params });
}
