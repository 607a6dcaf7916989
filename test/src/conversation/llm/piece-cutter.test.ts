// Where an answer is cut for the voice: early, and never within what is read as one.
import t from "tap";
import { createSeededRandom } from "../../../../lab/soak/seeded-random.ts";
import { PieceCutter } from "../../../../src/conversation/llm/piece-cutter.ts";
import { speakablePieces } from "../../../../src/conversation/llm/speakable-pieces.ts";
import { UncutTags } from "../../../../src/speech/text/expression-tags.ts";
import { prepareSpeech } from "../../../../src/speech/text/prepare-speech.ts";

/** Answers with the places at which they are cut. */
const ANSWERS: readonly { language: string; pieces: readonly string[] }[] = [
  {
    language: "en",
    pieces: [
      "Of course, I can help you with that. ",
      "The museum opens at 10:30 a.m. on Monday, and closes at 5 p.m. ",
      "Tickets cost $3.50, or 1,200 yen. ",
      "Dr. J. K. Smith leads it. ",
      "See https://example.com/a.b,c?d=1.5 for more. Bye!",
    ],
  },
  {
    language: "en",
    pieces: ["Yes. It is. I think so, ", "at least until version 2.0.1 comes. ", "“Really?” she asked. "],
  },
  {
    language: "en",
    pieces: [
      "**Note this well.** ",
      "It is on [our page, which is. Great](https://a.b/c) for all. ",
      "Good *luck. To* you!",
    ],
  },
  {
    language: "en",
    pieces: [
      "Here is the code:\n",
      "```js\nconst a = 1. Hello there. And so on.\n\nmore()\n```\nThat was all of it. ",
      "Fine, now run it.",
    ],
  },
  {
    language: "en",
    pieces: ["You need three things:\n", "- apples, ripe ones\n", "- pears\n- a big, heavy pan\n\n", "Then start."],
  },
  { language: "en", pieces: ["Let me see.\n\n", "It is 42, which you knew."] },
  {
    language: "de",
    pieces: ["Am 3. Mai kommt Dr. Müller, ", "z.B. mit dem Zug. ", "Er bleibt bis 18.30 Uhr bei uns. ", "Gut so."],
  },
  { language: "fr", pieces: ["Bonjour M. Dupont, ", "l'entrée coûte 3,50 € jusqu'à 17 h. ", "À bientôt !"] },
  {
    language: "pl",
    pieces: ["Pan dr. Kowalski mieszka przy ul. Długiej 5. Jest tam od 3 lat. ", "To dobrze, prawda?"],
  },
  { language: "zh", pieces: ["好的，我可以帮助你解决这个问题，", "请告诉我更多。谢谢你的问题！今天天气很好。"] },
];

t.test("the first clause comes before its sentence is complete, then whole sentences come", async (t) => {
  const random = createSeededRandom(5);
  for (const { language, pieces } of ANSWERS) {
    for (const most of [1, 4, 40, 1000]) {
      const cutter = new PieceCutter(language);
      const cut = partsOf(pieces.join(""), () => 1 + random.integer(most)).flatMap((part) => cutter.push(part));
      t.same([...cut, ...cutter.end()], pieces, `${language}, up to ${most} characters at once`);
    }
  }
  const cutter = new PieceCutter("en");
  t.same(cutter.push("Well, the first room, on"), [], "the word behind a mark may still grow");
  t.same(cutter.push(" the"), ["Well, the first room, "]);
});

t.test("the tag of an expression before an answer changes no cut, and no first piece comes later for it", async (t) => {
  for (const { language, pieces } of ANSWERS) {
    const answer = pieces.join("");
    for (const tag of ["[happy] ", "[sad:0.4]", "[content]\n"]) {
      for (const size of [1, 3, 1000]) {
        const plain = new PieceCutter(language);
        const tagged = new PieceCutter(language);
        // The model writes the tag, then the same tokens as without it.
        const before = partsOf(tag, () => size).flatMap((part) => tagged.push(part));
        t.same(before, [], "the tag by itself is no piece");
        let isFirst = true;
        for (const part of partsOf(answer, () => size)) {
          const expected = plain.push(part);
          if (isFirst && expected.length > 0) {
            expected[0] = tag + expected[0];
            t.equal(new UncutTags().add(expected[0]), expected[0], "the voice gets it at once");
            isFirst = false;
          }
          t.same(tagged.push(part), expected, `${tag}${part}`);
        }
      }
    }
  }
  const cutter = new PieceCutter("en");
  t.same(cutter.push("[happy](https://a.b) is a link, and it"), ["[happy](https://a.b) is a link, "]);
  const silent = new PieceCutter("en");
  t.same([...silent.push("[happy] "), ...silent.end()], [], "a tag without words is nothing to say");
});

t.test("what is said piece by piece is what is said at once", async (t) => {
  for (const { language, pieces } of ANSWERS) {
    const said = (text: string) =>
      [...prepareSpeech(text, language)].flatMap(({ words }) => words.map(({ text }) => text));
    t.same(pieces.flatMap(said), said(pieces.join("")), language);
  }
});

t.test("text without marks is cut between words, what is read as one stays whole, and nothing is lost", async (t) => {
  const long = `${"words without an end ".repeat(40)}https://example.com/${"long/".repeat(100)} ${"x".repeat(500)} end`;
  for (const text of [
    long,
    "[".repeat(500),
    "<a ".repeat(300),
    "`".repeat(700),
    " \n ".repeat(50),
    "",
    "[open. ".repeat(200),
  ]) {
    for (const language of ["en", "ja", "not a language"]) {
      const cutter = new PieceCutter(language);
      const pieces = [...cutter.push(text), ...cutter.end()];
      t.equal(pieces.join("").trimEnd(), text.trimEnd());
      const words = text.split(/\s+/);
      for (const piece of pieces)
        t.ok(
          piece
            .trim()
            .split(/\s+/)
            .every((word) => words.includes(word)),
          "whole words",
        );
    }
  }
  const cutter = new PieceCutter("en");
  const [first, second] = cutter.push(long);
  t.ok(first.length <= 140 && second.length <= 280, "the listener does not wait for the end");
});

t.test("pieces pass on how the answer ended, and what breaks it", async (t) => {
  async function* words(end: "report" | "error"): AsyncGenerator<string, string> {
    try {
      yield "Well, this is the first clause, and ";
      yield "this is the rest";
      if (end === "error") throw new Error("broken");
      return end;
    } finally {
      ended += 1;
    }
  }
  let ended = 0;
  const pieces = speakablePieces(words("report"), "en");
  t.equal((await pieces.next()).value, "Well, this is the first clause, ");
  t.equal((await pieces.next()).value, "and this is the rest");
  t.same(await pieces.next(), { done: true, value: "report" });
  const broken = speakablePieces(words("error"), "en");
  await broken.next();
  await t.rejects(broken.next(), { message: "broken" });
  for await (const _ of speakablePieces(words("report"))) break;
  t.equal(ended, 3, "leaving the pieces ends the answer");
});

function partsOf(text: string, size: () => number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += parts[parts.length - 1].length) parts.push(text.slice(at, at + size()));
  return parts;
}
