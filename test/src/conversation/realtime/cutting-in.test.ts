// The person speaks while a response is heard.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { withRealtimeSession } from "../../../helpers/conversation/with-realtime-session.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const [{ words }] = WIRE_FORMS;
const LONG_ANSWER = Array.from({ length: 60 }, (_, i) => `This is sentence number ${i} of a long story. `);

const reply = () => ({ body: words(LONG_ANSWER) });

t.test("the person's speech cancels the answer, and what was not heard is forgotten", async (t) => {
  await withRealtimeSession({ reply, texts: ["Tell me a story.", "Stop."] }, async (test) => {
    test.say();
    await test.until("response.output_audio.delta");
    await delay(700);
    const from = test.events.length;
    test.append(300, 8_000);
    const done = await test.until("response.done", from);
    t.match(done.response, { status: "cancelled", status_details: { type: "cancelled", reason: "turn_detected" } });
    const order = test.types.slice(from);
    t.ok(order.indexOf("input_audio_buffer.speech_started") < order.indexOf("response.done"));
    const at = test.events.length;
    test.append(500, 0);
    await test.until("response.created", at);
    await test.until("response.output_audio.delta", at);
    const messages = test.server.requests.at(-1)?.body.messages;
    const said = messages.findLast(({ role }: { role: string }) => role === "assistant")?.content ?? "";
    t.ok(said.length > 0 && said.length < 60, `the model knows what was heard: ${said}`);
  });
});

t.test("a short hum beside the answer does not end it", async (t) => {
  await withRealtimeSession({ reply, texts: ["Tell me a story.", "Mhm."] }, async (test) => {
    test.say();
    await test.until("response.output_audio.delta");
    test.append(90, 8_000);
    test.append(600, 0);
    await waitFor(() => test.heardSeconds.length === 2, "the hum is heard");
    await delay(50);
    t.equal(test.of("input_audio_buffer.speech_started").length, 1);
    t.notOk(test.types.includes("response.done"));
  });
});

t.test("a client that truncates says what was heard", async (t) => {
  await withRealtimeSession({ reply }, async (test) => {
    test.say();
    const { item_id } = await test.until("response.output_audio.delta");
    test.send("response.cancel");
    test.send("conversation.item.truncate", { item_id, content_index: 0, audio_end_ms: 1_000 });
    t.match(test.events.at(-1), { type: "conversation.item.truncated", audio_end_ms: 1_000 });
    test.send("conversation.item.retrieve", { item_id });
    const part = test.events.at(-1)?.item.content[0];
    t.match(part.transcript, /^This is sentence/);
    t.ok(part.transcript.length < 60);
    test.send("conversation.item.truncate", { item_id, content_index: 0, audio_end_ms: 0 });
    test.send("conversation.item.retrieve", { item_id });
    t.equal(test.events.at(-1)?.item.content[0].transcript, "");
  });
});

t.test("without interrupt_response the answer goes on, and the next one comes behind it", async (t) => {
  const short = (_: unknown, count: number) => ({ body: words([`Answer ${count}. It takes a moment.`]) });
  await withRealtimeSession({ reply: short }, async (test) => {
    const detection = { type: "semantic_vad", interrupt_response: false };
    test.send("session.update", { session: { turn_detection: detection } });
    test.say();
    await test.until("response.created");
    test.say();
    const first = await test.until("response.done");
    t.equal(first.response.status, "completed");
    const second = await test.until("response.done", test.events.indexOf(first) + 1);
    t.equal(second.response.status, "completed");
  });
});

t.test("an answer goes out at most ten seconds ahead of its time", async (t) => {
  await withRealtimeSession({ reply }, async (test) => {
    test.say();
    await test.until("response.output_audio.delta");
    const startedMs = performance.now();
    await waitFor(() => test.audioMs > 9_000, "nine seconds");
    await delay(1_500);
    // A sentence goes out as a whole.
    const mostMs = performance.now() - startedMs + 14_500;
    t.ok(test.audioMs < mostMs, `${test.audioMs} ms, of ${mostMs} ms`);
  });
});
