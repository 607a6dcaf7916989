import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import t from "tap";
import { EnglishPronouncer } from "../../../../src/speech/pronunciation/english-pronouncer.ts";
import { Lexicon } from "../../../../src/speech/pronunciation/lexicon.ts";
import { prepareSpeech } from "../../../../src/speech/text/prepare-speech.ts";

const MODELS = new URL("../../../../models/", import.meta.url);
/** Misaki's letters for American and British English, as Kokoro 1.0 knows them. */
const AMERICAN = /^[AIOTWYbdfhijklmnpstuvwzæðŋɐɑɔəɛɜɡɪɹʃʊʌʒʤʧˈˌθᵊᵻ]+$/u;
const BRITISH = /^[AIQWYabdfhijklmnpstuvwzðŋɐɑɒɔəɛɜɡɪɹʃʊʌʒʤʧˈˌːθᵊ]+$/u;

async function wordsOf(pronouncer: EnglishPronouncer, text: string) {
  const words = [];
  for (const sentence of prepareSpeech(text)) words.push(...(await pronouncer.pronounce(sentence)));
  return words;
}

const lineOf = async (pronouncer: EnglishPronouncer, text: string) =>
  (await wordsOf(pronouncer, text)).map(({ phonemes, mark }) => phonemes + mark).join(" ");

t.test("words sound as their part of speech, their ending and their neighbours ask", async (t) => {
  const pronouncer = await EnglishPronouncer.load();
  const rows = readFileSync(new URL("american.tsv", import.meta.url), "utf8")
    .split("\n")
    .slice(1)
    .filter(Boolean);
  t.ok(rows.length >= 80);
  for (const row of rows) {
    const [written, phonemes] = row.split("\t");
    t.equal(await lineOf(pronouncer, written), phonemes, written);
  }
});

t.test("phonemes keep the place of their word, and acronyms are one word", async (t) => {
  const pronouncer = await EnglishPronouncer.load();
  const text = "The **FBI** paid $22 for COVID-19 tests.";
  const words = await wordsOf(pronouncer, text);
  t.same(
    words.map((word) => `${word.text}=${text.slice(word.fromCharacter, word.toCharacter)}`),
    [
      "The=The",
      "FBI=FBI",
      "paid=paid",
      "twenty=$22",
      "two=$22",
      "dollars=$22",
      "for=for",
      "covid=COVID",
      "nineteen=19",
      "tests=tests",
    ],
  );
});

t.test("any text has sounds of the alphabet only, in both accents", async (t) => {
  const text =
    "Zxqwv krrk, Schadenfreude's Übermut; mañana e\u0301toile naïvely unfriendable re-tweeted " +
    "aaaaaaaa O'Reilly's rock'n'roll y'all'd've Ωmega 東京 привет The A. I.";
  for (const [accent, alphabet] of [
    ["american", AMERICAN],
    ["british", BRITISH],
  ] as const) {
    const pronouncer = await EnglishPronouncer.load(accent);
    const words = await wordsOf(pronouncer, text);
    t.ok(words.length > 15);
    for (const { text: word, phonemes } of words) t.match(phonemes, alphabet, `${accent}: ${word}`);
    t.same(await pronouncer.pronounce({ words: [] }), []);
  }
  const british = await EnglishPronouncer.load("british");
  t.equal(await lineOf(british, "Close the door, we are caring."), "klˈQz ðə dˈɔː, wiː ɑː kˈɛːɹɪŋ.");
});

t.test("the dictionaries are those of the manifest, sorted, and every word in them is found", async (t) => {
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", MODELS), "utf8"));
  for (const accent of ["american", "british"] as const) {
    const name = `voice/lexicon/${accent}.txt.br`;
    const packed = readFileSync(new URL(name, MODELS));
    t.equal(createHash("sha256").update(packed).digest("hex"), manifest[name].sha256);
    t.equal(packed.length, manifest[name].bytes);
    const lines = brotliDecompressSync(packed).toString().trimEnd().split("\n");
    const lexicon = await Lexicon.load(accent);
    // First, last, and every hundredth.
    for (const [index, line] of lines.entries()) {
      if (index % 100 !== 0 && index !== lines.length - 1) continue;
      const [word, sounds] = line.split("\t");
      if (lexicon.find(word)?.phonemes !== sounds.split("|")[0]) t.fail(`${word} is not found`);
    }
    for (const word of ["", "0", "zzzzzzz", "\u{10ffff}", "a".repeat(1000), "wind\twˈɪnd"])
      t.equal(lexicon.find(word), undefined);
  }
});
