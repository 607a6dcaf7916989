// Compiles Misaki's dictionaries into the sorted texts beside this file, always to the same bytes:
//   pip download misaki==0.9.4 --no-deps && unzip misaki-0.9.4-py3-none-any.whl -d misaki
//   npx tsx lab/training/voice/compile-lexicon.ts misaki/misaki/data
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

type Sounds = string | Record<string, string | null>;

/** Of the wheel with sha256 90e2eeb169786c014c429e5058d2ea6bcd02d651f2a24450ba6c9ffc0f8da15a. */
const SOURCES: Readonly<Record<string, string>> = {
  "us_gold.json": "dc414872a49a28ae6c141463d502fd945f3b2fde040484fdc47d00cc4612686f",
  "us_silver.json": "de8f67be911bb6c659187b4a65fd966b6a30e56350e0f790d763210b053ac475",
  "gb_gold.json": "29e62f4b60261c88f7f3c2c7811ca3825978948090b72d2b27d565b729282f71",
  "gb_silver.json": "48131e2d92ccc41655f4543e87e0f938e71463eb5a54be7f0693bb712ebb6bce",
};
const ACCENTS = { american: "us", british: "gb" } as const;

const folder = process.argv[2];
if (!folder) throw new Error("usage: compile-lexicon.ts <folder of Misaki's data>");
for (const [accent, prefix] of Object.entries(ACCENTS)) {
  // The gold list was checked by people, so it wins.
  const words = new Map([...wordsOf(`${prefix}_silver.json`), ...wordsOf(`${prefix}_gold.json`)]);
  const lines = [...words].map(([word, sounds]) => ({ word: Buffer.from(word), line: `${word}\t${lineOf(sounds)}\n` }));
  lines.sort((left, right) => left.word.compare(right.word));
  const text = Buffer.from(lines.map(({ line }) => line).join(""));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const packed = brotliCompressSync(text, { params });
  writeFileSync(join(import.meta.dirname, "../../../models/voice/lexicon", `${accent}.txt.br`), packed);
  console.log(
    `${accent}: ${lines.length} words, ${text.length} bytes, packed ${packed.length}, sha256 ${sha256(packed)}`,
  );
}

function wordsOf(file: string): [word: string, sounds: Sounds][] {
  const bytes = readFileSync(join(folder, file));
  if (sha256(bytes) !== SOURCES[file]) throw new Error(`${file} is not the file of misaki 0.9.4`);
  return Object.entries(JSON.parse(bytes.toString()) as Record<string, Sounds>).filter(
    ([word]) => !/[\t\n]/.test(word),
  );
}

function lineOf(sounds: Sounds): string {
  if (typeof sounds === "string") return sounds;
  const { DEFAULT, ...parts } = sounds;
  const others = Object.entries(parts).filter(([, sound]) => sound !== null);
  return [DEFAULT, ...others.map(([part, sound]) => `${part === "None" ? "END" : part}=${sound}`)].join("|");
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
