// What a caller can store in a session is bounded, and what is over a bound is told.
import t from "tap";
import { llmHistory } from "../../../../src/conversation/realtime/items/llm-history.ts";
import { withRealtimeSession } from "../../../helpers/conversation/with-realtime-session.ts";

const message = (text: string, id?: string) => ({
  item: { id, type: "message", role: "user", content: [{ type: "input_text", text }] },
});

t.test("the items of a session have at most a million characters, and a full one keeps what it has", async (t) => {
  await withRealtimeSession({}, async (test) => {
    for (let count = 0; count < 20; count++) {
      test.send("conversation.item.create", { event_id: `e${count}`, ...message("x".repeat(99_000), `i${count}`) });
    }
    t.equal(test.of("conversation.item.added").length, 10);
    const errors = test.of("error").map(({ error }) => error);
    t.equal(errors.length, 10);
    t.match(errors[0], { code: "conversation_full", event_id: "e10" });
    test.send("conversation.item.retrieve", { item_id: "i0" });
    t.match(test.events.at(-1), { type: "conversation.item.retrieved" });
    test.send("conversation.item.delete", { item_id: "i0" });
    test.send("conversation.item.create", message("y".repeat(90_000)));
    t.equal(test.events.at(-1)?.type, "conversation.item.done", "there is space again");
  });
});

t.test("small items and parts count as well", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const content = Array.from({ length: 64 }, () => ({ type: "input_text", text: "" }));
    for (let count = 0; count < 400; count++)
      test.send("conversation.item.create", { item: { type: "message", role: "user", content } });
    t.ok(test.of("conversation.item.added").length < 200);
    t.match(test.events.at(-1), { error: { code: "conversation_full" } });
  });
});

t.test("a full conversation goes on: its oldest items are dropped", async (t) => {
  await withRealtimeSession({}, async (test) => {
    for (let count = 0; count < 11; count++)
      test.send("conversation.item.create", message("x".repeat(99_000), `i${count}`));
    test.send("conversation.item.create", message("x".repeat(3_300), "last"));
    test.say();
    t.equal((await test.until("response.done")).response.status, "completed");
    t.match(
      test.of("conversation.item.deleted").map(({ item_id }) => item_id),
      ["i0"],
    );
    t.same(test.faults, []);
  });
});

t.test("tools, instructions and metadata are bounded", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const tool = (size: number) => ({ type: "function", name: "f", parameters: { description: "x".repeat(size) } });
    const bad: [object, string][] = [
      [{ session: { tools: [tool(100_000)] } }, "tools"],
      [{ session: { tools: Array.from({ length: 100 }, () => tool(2_000)) } }, "tools"],
      [{ session: { instructions: "x".repeat(100_001) } }, "session.instructions"],
    ];
    for (const [fields, param] of bad) {
      test.send("session.update", fields);
      t.match(test.events.at(-1), { type: "error", error: { code: "invalid_value", param } });
    }
    const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"]));
    test.send("response.create", { response: { metadata } });
    t.match(test.events.at(-1), { error: { code: "invalid_value", param: "response.metadata" } });
  });
});

t.test("what the model is told is cut, the newest message and the functions too", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const text = (size: number) => ({ type: "input_text", text: "x".repeat(size) });
    test.send("conversation.item.create", {
      item: { type: "message", role: "user", content: [text(90_000), { type: "input_text", text: "What now?" }] },
    });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done");
    const { content } = test.server.requests[0].body.messages.at(-1);
    t.ok(content.length <= 40_000, `${content.length} characters`);
    t.match(content, /What now\?$/);
  });
  const call = (id: string, args: string) => ({
    id,
    type: "function_call" as const,
    status: "completed" as const,
    callId: id,
    name: "f",
    args,
  });
  const output = (id: string, size: number) => ({
    id: `${id}o`,
    type: "function_call_output" as const,
    status: "completed" as const,
    callId: id,
    output: "x".repeat(size),
  });
  const said = {
    id: "u",
    type: "message" as const,
    role: "user" as const,
    status: "completed" as const,
    parts: [{ kind: "text" as const, text: "Go." }],
  };
  const { rounds = [] } = llmHistory([
    said,
    call("a", "{}"),
    output("a", 100),
    call("b", "{}"),
    output("b", 90_000),
    call("c", "{}"),
    output("c", 90_000),
  ]);
  t.same(
    rounds.flatMap(({ calls }) => calls.map(({ id }) => id)),
    ["c"],
  );
  t.equal(rounds[0].results[0].length, 20_000);
});

t.test("audio that waits to be written down is bounded, and what is refused stays in the buffer", async (t) => {
  const stt = { transcribe: () => new Promise<never>(() => undefined) };
  await withRealtimeSession({ stt }, async (test) => {
    test.send("session.update", { session: { turn_detection: null } });
    const minute = Buffer.alloc(60 * 48_000).toString("base64");
    for (let count = 0; count < 6; count++) test.send("input_audio_buffer.append", { audio: minute });
    test.send("input_audio_buffer.commit");
    for (let count = 0; count < 4; count++) test.send("input_audio_buffer.append", { audio: minute });
    test.send("input_audio_buffer.commit");
    t.equal(test.of("input_audio_buffer.committed").length, 2);
    test.append(1_000, 0);
    for (let count = 0; count < 2; count++) {
      test.send("input_audio_buffer.commit");
      t.match(test.events.at(-1), { error: { code: "input_audio_buffer_full" } }, "the second one is not empty");
    }
  });
});
