import { readdirSync, readFileSync } from "node:fs";
import t from "tap";
import { prepareSpeech } from "../../../../src/speech/text/prepare-speech.ts";
import type { PreparedWord } from "../../../../src/speech/text/prepared-sentence.ts";

const TABLES = new URL("sentences/", import.meta.url);
const spoken = (text: string, language = "en") => [...prepareSpeech(text, language)].map((sentence) => sentence.spoken);

const line = (words: PreparedWord[]) =>
  words.map(({ text, mark }) => (mark === "—" ? `${text} —` : text + mark)).join(" ");

/** Rows of a table: what is written, what is said. */
function rowsOf(file: string): [written: string, said: string][] {
  return readFileSync(new URL(file, TABLES), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# W"))
    .map((line) => line.split("\t"))
    .map((cells) => [cells.slice(0, -1).join("\t").replaceAll("\\n", "\n"), cells.at(-1) ?? ""]);
}

t.test("300 hard sentences are said as one would read them out, each word with its place in the text", async (t) => {
  let count = 0;
  for (const file of readdirSync(TABLES)) {
    const language = file.replace(".tsv", "");
    for (const [written, said] of rowsOf(file)) {
      count++;
      const sentences = [...prepareSpeech(written, language)];
      t.equal(sentences.map(({ words }) => line(words)).join(" ‖ "), said, `${language}: ${written}`);
      let from = 0;
      for (const sentence of sentences) {
        for (const word of sentence.words) {
          if (!word.isLetter && !sentence.spoken.startsWith(word.text, word.spokenFrom))
            t.fail(`${word.text} is misplaced`);
          if (word.fromCharacter < from || word.toCharacter <= word.fromCharacter) t.fail(`${word.text}: order`);
          if (word.toCharacter > sentence.toCharacter) t.fail(`${word.text}: end`);
          from = word.fromCharacter;
        }
      }
      const rest = said.replace(/ [‖—] /g, " ");
      t.notMatch(rest, /[<>{}[\]()*_`#|\\/@$€£%&=+\p{N}\p{Cc}\p{Extended_Pictographic}]/u, "nothing but words is left");
    }
  }
  t.ok(count >= 300, `${count} sentences`);
});

t.test("words keep the place of what they stand for, behind markup too", async (t) => {
  const text = "Pay **$3.50** to [Dr. Wu](https://x.org/a) &amp; un**believ**able.";
  const [sentence] = prepareSpeech(text);
  const places = sentence.words.map((word) => `${word.text}=${text.slice(word.fromCharacter, word.toCharacter)}`);
  t.same(places, [
    "Pay=Pay",
    ...["three", "dollars", "and", "fifty", "cents"].map((word) => `${word}=$3.50`),
    "to=to",
    "Doctor=Dr.",
    "Wu=Wu",
    "and=&amp;",
    "unbelievable=un**believ**able",
  ]);
  t.equal(sentence.text, "Pay $3.50 to Dr. Wu & unbelievable.", "captions show what is written, without its markup");
});

t.test("long sentences are cut at clauses, short ones joined, and no word is lost", async (t) => {
  const clause = "this is one of the clauses, ";
  const sentences = [...prepareSpeech(`${clause.repeat(40)}and the end.`)];
  t.ok(sentences.every((sentence) => sentence.spoken.length <= 280));
  t.ok(sentences[0].spoken.length <= 140, "the first is short: a listener waits for it");
  t.ok(sentences.slice(0, -1).every((sentence) => sentence.spoken.endsWith("clauses,")));
  t.equal(sentences.map((sentence) => sentence.text).join(" "), `${clause.repeat(40)}and the end.`);
  t.same(spoken("Hi. How are you today? Fine."), ["Hi. How are you today?", "Fine."]);
});

t.test("text without words says nothing", async (t) => {
  for (const text of ["", " \n\t ", "\u0000\u0007\u200b", "😀🎉", "***", "```\ncode\n```", "<br/>", "...!?"]) {
    for (const language of ["en", "de", "ja"]) t.same(spoken(text, language), [], JSON.stringify(text));
  }
});

t.test("colours of a terminal and other control characters are not said", async (t) => {
  const said = [...prepareSpeech("It is \u001b[1;31mred\u001b[0m,\u0007 not\u001b blue.\u0085")];
  t.same(
    said.map(({ spoken }) => spoken),
    ["It is red, not blue."],
  );
});

t.test("other languages are read as they are written, without markup", async (t) => {
  t.same(spoken("Det kostar **50 kr**. Kom kl. 15, tack!", "sv"), ["Det kostar 50 kr.", "Kom kl. 15, tack!"]);
  t.equal(spoken("今日はとてもいい天気ですね。明日も晴れるでしょうか。", "ja").length, 2);
  t.same(spoken("Hello there, friend.", "not a language!"), ["Hello there, friend."]);
});

t.test("Brazil has its own numbers and money", async (t) => {
  t.same(spoken("São 16 km por US$ 5,10.", "pt-BR"), [
    "São dezesseis quilômetros por cinco dólares americanos e dez centavos.",
  ]);
});

t.test("any text takes time in proportion to its length", async (t) => {
  const patterns = [
    "a",
    "A",
    "1",
    " ",
    "\n",
    ".",
    ",",
    "(",
    "[",
    "<",
    "*",
    "_",
    "`",
    "\\",
    "|",
    "&",
    "-",
    "#",
    "@",
    "'",
    "e\u0301\u0301",
    "a.",
    "A.",
    "1.",
    "1,",
    "1 ",
    "1-",
    "1/",
    "1:",
    "a@",
    "[a](",
    "[a](b[",
    "<a ",
    "<!--",
    "<script>",
    "](",
    "&#1",
    "$1",
    "http://a",
    "\n- ",
    "\n> ",
    "\n|",
    "\n```",
    "\n1. ",
    "\n---",
    "~~",
    "a-",
    "+1 ",
    "0 1",
    "U.S.",
    "XVI ",
    "word ",
  ];
  for (const pattern of patterns) {
    const [short, long] = [1_000, 8_000].map((length) =>
      leastCpuMs(() => drain(pattern.repeat(length / pattern.length))),
    );
    t.ok(
      long < 8 * 5 * Math.max(short, 4),
      `${JSON.stringify(pattern)}: ${Math.round(short)} and ${Math.round(long)} ms`,
    );
  }
  const [first] = prepareSpeech("a".repeat(10_000_000));
  t.ok(first.spoken.length <= 140, "ten million letters without a space: the first words come at once");
});

function drain(text: string): void {
  for (const sentence of prepareSpeech(text)) if (sentence.spoken.length > 900) throw new Error("too long");
}

/** Of three runs: collecting garbage and compiling count for the process too. */
function leastCpuMs(work: () => void): number {
  return Math.min(...[0, 1, 2].map(() => cpuMs(work)));
}

function cpuMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
