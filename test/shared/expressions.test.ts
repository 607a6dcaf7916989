import t from "tap";
import { EXPRESSION_NAMES, expressionOf, isExpressionName, parseExpression } from "../../shared/expressions.ts";

t.test("an expression is a name, or a name with an intensity", async (t) => {
  for (const emotion of EXPRESSION_NAMES) {
    t.same(parseExpression(emotion), { emotion, intensity: 1 });
    t.same(parseExpression(`${emotion}:0.25`), { emotion, intensity: 0.25 });
  }
  for (const [text, intensity] of [
    ["happy:0", 0],
    ["happy:1", 1],
    ["happy:1.0", 1],
    ["happy:.6", 0.6],
  ] as const) {
    t.equal(parseExpression(text).intensity, intensity, text);
  }
});

t.test("unknown and empty names are refused with the list of names", async (t) => {
  for (const text of ["", " ", "joyful", "Happy", "happy ", "toString", ":0.5", "x".repeat(100_000)]) {
    let message = "";
    t.throws(() => {
      try {
        parseExpression(text);
      } catch (error) {
        message = (error as RangeError).message;
        throw error;
      }
    }, RangeError);
    for (const name of EXPRESSION_NAMES) t.match(message, name, text.slice(0, 20));
    t.ok(message.length < 200, "an error repeats little of it");
  }
  for (const name of [undefined, null, 3, {}, ["happy"]]) {
    t.notOk(isExpressionName(name));
    t.throws(() => expressionOf(name), /neutral, happy/);
  }
});

t.test("intensities out of range, and what is no number, are refused", async (t) => {
  for (const text of ["happy:", "happy:1.01", "happy:-0.1", "happy:NaN", "happy:1e-1", "happy:0.5:0.5", "happy: 1"]) {
    t.throws(() => parseExpression(text), /from 0 to 1/, text);
  }
  for (const intensity of [Number.NaN, -0.01, 1.01, Number.POSITIVE_INFINITY, "0.5", null, {}]) {
    t.throws(() => expressionOf("happy", intensity), /from 0 to 1/);
  }
});
