import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { RoomExpressions } from "../../../agent-worker/room/room-expressions.ts";
import { EXPRESSION_NAMES, type Expression } from "../../../shared/expressions.ts";
import { ExpressionChoice } from "../../../src/face/motion/expression-choice.ts";

function roomExpressions(mood: Expression = { emotion: "content", intensity: 0.5 }) {
  const choice = new ExpressionChoice();
  choice.set("mood", mood);
  let nowMs = 0;
  let count = 0;
  const engine = {
    mood,
    express: (...set: Parameters<ExpressionChoice["set"]>) => {
      count += 1;
      choice.set(...set);
    },
  };
  const expressions = new RoomExpressions({ engine, now: () => nowMs });
  t.teardown(() => expressions.close());
  return {
    expressions,
    choice,
    count: () => count,
    pass: (ms: number) => {
      nowMs += ms;
    },
    ask: (request: unknown) => JSON.parse(expressions.perform(JSON.stringify(request))),
  };
}

t.test("a participant sets an expression, its intensity and how long it holds; null is the mood again", async (t) => {
  const { ask, choice, pass } = roomExpressions();
  t.same(ask({ emotion: "happy" }), { emotion: "happy", intensity: 1, status: "success" });
  t.same(choice.current, { emotion: "happy", intensity: 1 });
  pass(40);
  t.same(ask({ emotion: "sad", intensity: 0.4, duration_ms: 80 }), {
    emotion: "sad",
    intensity: 0.4,
    status: "success",
  });
  t.same(choice.next(), { emotion: "sad", intensity: 0.4 });
  choice.next();
  t.same(choice.current, { emotion: "content", intensity: 0.5 }, "80 ms later");
  pass(40);
  ask({ emotion: "angry", intensity: null, duration_ms: null });
  t.same(choice.current, { emotion: "angry", intensity: 1 });
  pass(40);
  t.same(ask({ emotion: null }), { emotion: "content", intensity: 0.5, status: "success" });
  t.same(choice.current, { emotion: "content", intensity: 0.5 });
});

t.test("a wrong request is answered with the reason and the names, and changes nothing", async (t) => {
  const { ask, choice, expressions, pass } = roomExpressions();
  ask({ emotion: "happy" });
  for (const payload of ["", "not json", "3", '"happy"', "null", "[]", "{}", '{"emotion":', "x".repeat(20_000)]) {
    pass(40);
    t.match(
      JSON.parse(expressions.perform(payload)),
      { status: "error", emotions: EXPRESSION_NAMES },
      payload.slice(0, 20),
    );
  }
  for (const request of [
    { emotion: "" },
    { emotion: "joy" },
    { emotion: "Happy" },
    { emotion: { a: 1 } },
    { emotion: 3 },
    { emotion: "__proto__" },
    { emotion: "happy", intensity: 1.5 },
    { emotion: "happy", intensity: -1 },
    { emotion: "happy", intensity: "NaN" },
    { emotion: "happy", duration_ms: 0 },
    { emotion: "happy", duration_ms: -5 },
    { emotion: "happy", duration_ms: "long" },
  ]) {
    pass(40);
    const answer = ask(request);
    t.match(answer, { status: "error", message: /./ }, JSON.stringify(request));
    t.same(answer.emotions, EXPRESSION_NAMES);
  }
  t.match(ask({ emotion: "joy" }).message, /"joy".*neutral, happy/);
  t.same(choice.current, { emotion: "happy", intensity: 1 });
});

t.test("of a thousand requests in a frame the face gets the first at once, then the last", async (t) => {
  const { ask, choice, count } = roomExpressions();
  for (let i = 0; i < 1_000; i++) t.equal(ask({ emotion: "sad", intensity: i / 1_000 }).status, "success");
  t.equal(count(), 1);
  await delay(80);
  t.equal(count(), 2);
  t.same(choice.current, { emotion: "sad", intensity: 0.999 });
});

t.test("another process goes on with what was requested, for the time that is left", async (t) => {
  const before = roomExpressions();
  t.equal(before.expressions.requested, undefined);
  t.same(before.expressions.current, { emotion: "content", intensity: 0.5 });
  before.ask({ emotion: "sad", intensity: 0.5 });
  t.same(before.expressions.requested, { expression: { emotion: "sad", intensity: 0.5 } });
  before.ask({ emotion: "happy", duration_ms: 1_000 });
  before.pass(900);
  const { requested } = before.expressions;
  t.same(requested, { expression: { emotion: "happy", intensity: 1 }, leftMs: 100 });
  before.pass(100);
  t.equal(before.expressions.requested, undefined, "its time is over");
  const after = roomExpressions();
  after.expressions.restore(JSON.parse(JSON.stringify(requested)));
  t.same(after.choice.current, { emotion: "happy", intensity: 1 });
  t.same(after.expressions.requested, requested);
  after.pass(100);
  for (let tick = 0; tick < 3; tick++) after.choice.next();
  t.same(after.choice.current, { emotion: "content", intensity: 0.5 });
  after.ask({ emotion: null });
  t.equal(after.expressions.requested, undefined);
});

t.test("what waits when the room closes is not set", async (t) => {
  const { ask, count, expressions } = roomExpressions();
  ask({ emotion: "sad" });
  ask({ emotion: "happy" });
  expressions.close();
  await delay(60);
  t.equal(count(), 1);
});
