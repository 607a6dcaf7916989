import type { Room, TextStreamHandler } from "@livekit/rtc-node";
import t from "tap";
import { readExpression } from "../../../room/sender/read-expression.ts";
import { SenderExpressions } from "../../../room/sender/sender-expressions.ts";
import { formatExpression } from "../../../shared/expressions.ts";
import { ExpressionChoice } from "../../../src/face/motion/expression-choice.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test("one of our names counts first, then the mood; anything else is nothing", async (t) => {
  const read = (attribute: string) => {
    const found = readExpression(attribute);
    return found && formatExpression(found);
  };
  t.equal(read('{"expression":"happy","mood":"sad"}'), "happy");
  t.equal(read('{"expression":" Afraid ","mood":"calm"}'), "afraid");
  t.equal(read('{"expression":"soft, with genuine care","mood":"empathetic"}'), "sad:0.4");
  t.equal(read('{"expression":"like a pirate","mood":"calm"}'), "neutral");
  t.equal(read('{"expression":3,"mood":"angry"}'), "angry:0.8");
  t.equal(read("disgusted"), "disgusted");
  t.equal(read("excited"), "happy");
  for (const attribute of [
    "",
    "like a pirate",
    "{}",
    "[]",
    "null",
    "3",
    '{"mood":"__proto__"}',
    '{"mood":',
    "__proto__",
  ]) {
    t.equal(read(attribute), null, attribute);
  }
  t.equal(read(`{"expression":"happy","note":"${"x".repeat(5_000)}"}`), null, "at most 4 KB are parsed");
});

t.test("the bound sender's expression holds for its segment; streams of others are closed unread", async (t) => {
  const choice = new ExpressionChoice();
  let handler: TextStreamHandler | undefined;
  const room = {
    registerTextStreamHandler: (_topic: string, registered: TextStreamHandler) => {
      handler = registered;
    },
    unregisterTextStreamHandler: () => {
      handler = undefined;
    },
  } as unknown as Room;
  let sets = 0;
  const engine = {
    express: (...set: Parameters<ExpressionChoice["set"]>) => {
      sets += 1;
      choice.set(...set);
    },
  };
  const expressions = new SenderExpressions({ room, engine, binding: { isBound: (identity) => identity === "agent" } });
  expressions.start();
  let closed = 0;
  const send = (identity: string, expression: string, segment = "s-1") => {
    const attributes = { "lk.expression": expression, "lk.segment_id": segment };
    const reader = { info: { attributes }, close: async () => void closed++ };
    handler?.(reader as never, { identity });
  };
  const shows = (written: string) => waitFor(() => formatExpression(choice.current) === written, written);
  send("stranger", "angry");
  t.equal(formatExpression(choice.current), "neutral");
  send("agent", '{"expression":"happy"}');
  await shows("happy");
  for (let i = 0; i < 1_000; i++) send("agent", i % 2 === 0 ? "sad" : "angry");
  await shows("angry");
  t.ok(sets < 10, `${sets} of a thousand reach the face`);
  t.equal(closed, 1_002, "all streams are closed");
  expressions.finished();
  await shows("neutral");
  send("agent", "happy");
  await new Promise((resolve) => setTimeout(resolve, 60));
  t.equal(formatExpression(choice.current), "neutral", "the last text of a segment comes after its audio");
  send("agent", "happy", "s-2");
  await shows("happy");
  choice.set("request", { emotion: "surprised", intensity: 1 });
  await shows("surprised");
  expressions.close();
  t.equal(handler, undefined);
});
