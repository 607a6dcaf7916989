import t from "tap";
import { EXPRESSION_NAMES, formatExpression } from "../../../../shared/expressions.ts";
import { expressionTag, takeExpressionTags, UncutTags } from "../../../../src/speech/text/expression-tags.ts";

/** The text without tags, then each tag as `at name`. */
function read(text: string): string[] {
  const { text: plain, tags } = takeExpressionTags(text);
  return [plain, ...tags.map(({ at, expression }) => `${at} ${formatExpression(expression)}`)];
}

t.test("tags are taken out, and belong to the word behind them", async (t) => {
  const texts: [text: string, ...expected: string[]][] = [
    ["[happy] Good morning.", "Good morning.", "0 happy"],
    ["[happy:0.6]Good morning.", "Good morning.", "0 happy:0.6"],
    ["Good [sad:.25] morning.", "Good morning.", "5 sad:0.25"],
    ["Good[angry] morning.", "Good morning.", "4 angry"],
    ["One. [afraid] Two. [neutral] Three.", "One. Two. Three.", "5 afraid", "10 neutral"],
    ["[happy] [sad] Now.", "Now.", "0 happy", "0 sad"],
    ["[happy][sad] Now.", "[happy] Now.", "7 sad"],
    ["The end. [content]", "The end. ", "9 content"],
    ["Great! [surprised]\nReally?", "Great! Really?", "7 surprised"],
    ["[disgusted]", "", "0 disgusted"],
    ["no tags", "no tags"],
    ["", ""],
  ];
  for (const [text, ...expected] of texts) t.same(read(text), expected, text);
  for (const emotion of EXPRESSION_NAMES) {
    for (const intensity of [0, 0.001, 1 / 3, 1]) {
      const [tag] = takeExpressionTags(`${expressionTag({ emotion, intensity })} Hi`).tags;
      t.equal(tag.expression.emotion, emotion);
      t.ok(Math.abs(tag.expression.intensity - intensity) < 0.001);
    }
  }
});

t.test("other brackets, links, escaped tags, code and tags without an end stay as they are", async (t) => {
  for (const text of [
    "[laughs] [Happy] [ happy] [happy ] [] [happy:] x",
    "[happy",
    "[happy:0.5",
    "happy]",
    "[happy:1.5] [happy:2] [happy:-1] [happy:NaN] [happy:1e-1] [happy:.]",
    "[happy](https://example.test) and [sad][1]",
    "[[happy]]",
    "\\[happy] there",
    "`[happy]` and ``a ` [sad]`` and ```\n[angry]\n```",
    "[happy, sad] [happy|sad] [neutral:0.5:0.5]",
  ]) {
    t.equal(takeExpressionTags(text).text, text);
  }
  t.same(read("`never closed [happy] here"), ["`never closed here", "14 happy"], "a lone backtick begins no code");
  t.same(read("\\\\[happy] two backslashes"), ["\\\\ two backslashes", "2 happy"]);
});

t.test("a text in pieces loses no tag between them, and keeps no more than a tag waiting", async (t) => {
  const text = "[happy:0.6] Hello there [sad] my friend [laughs] `x[angry]` [content";
  for (let size = 1; size < 9; size++) {
    const uncut = new UncutTags();
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += size) pieces.push(uncut.add(text.slice(at, at + size)));
    pieces.push(uncut.end());
    t.equal(pieces.join(""), text);
    const tags = pieces.flatMap((piece) => takeExpressionTags(piece).tags);
    t.match(
      tags.slice(0, 2).map(({ expression }) => expression.emotion),
      ["happy", "sad"],
      `in pieces of ${size}`,
    );
  }
  const uncut = new UncutTags();
  t.equal(uncut.add("[happy]"), "", "a link could follow");
  t.equal(uncut.add("(https://example.test) and"), "[happy](https://example.test) and");
  t.equal(uncut.add(`[${"a".repeat(50_000)}`).length, 50_001, "what cannot become a tag is not kept");
});

t.test("hostile texts take no time", async (t) => {
  const startMs = performance.now();
  for (const part of ["[", "`", "``` ` ", "\\", "[happy", "[happy]", "[happy](", "[happy:0.5"]) {
    takeExpressionTags(part.repeat(20_000));
    takeExpressionTags(Array.from({ length: 200 }, (_, n) => `${"`".repeat(n)}${part}`).join(""));
    new UncutTags().add(part.repeat(20_000));
  }
  t.ok(performance.now() - startMs < 5_000, `${Math.round(performance.now() - startMs)} ms`);
});
