// What the realtime page shows of a call, without a browser.
import t from "tap";
import { type SaidLine, withEvent } from "../../web/realtime/said-lines.ts";

const follow = (...events: Record<string, unknown>[]): readonly SaidLine[] =>
  events.reduce<readonly SaidLine[]>((lines, event) => withEvent(lines, event as { type: string }), []);
const item = (id: string, role: string, content: object[] = []) => ({ id, type: "message", role, content });

t.test("each item is a line in the conversation's order, however its words come", async (t) => {
  const lines = follow(
    { type: "conversation.item.added", item: item("a", "user") },
    { type: "conversation.item.added", item: item("b", "assistant") },
    { type: "response.output_audio_transcript.delta", item_id: "b", delta: "It is " },
    { type: "conversation.item.input_audio_transcription.delta", item_id: "a", delta: "What is " },
    { type: "response.output_audio_transcript.delta", item_id: "b", delta: "noon." },
    { type: "conversation.item.input_audio_transcription.completed", item_id: "a", transcript: "What is the time? " },
  );
  t.same(lines, [
    { itemId: "a", speaker: "you", text: "What is the time?" },
    { itemId: "b", speaker: "model", text: "It is noon." },
  ]);
});

t.test("names of the beta, typed messages and text answers are lines too", async (t) => {
  const lines = follow(
    { type: "conversation.item.created", item: item("a", "user", [{ type: "input_text", text: "Hello" }]) },
    { type: "conversation.item.created", item: item("a", "user") },
    { type: "response.audio_transcript.delta", item_id: "b", delta: "Hi" },
    { type: "response.text.delta", item_id: "c", delta: "there" },
  );
  t.same(
    lines.map(({ speaker, text }) => `${speaker}: ${text}`),
    ["you: Hello", "model: Hi", "model: there"],
  );
});

t.test("other events, and events without their fields, change nothing", async (t) => {
  const before = follow({ type: "conversation.item.added", item: item("a", "user") });
  for (const event of [
    { type: "session.created", session: {} },
    { type: "response.text.delta", delta: "lost" },
    { type: "response.text.delta", item_id: "a", delta: 7 },
    { type: "conversation.item.added" },
    { type: "conversation.item.added", item: item("s", "system", [{ type: "input_text", text: "secret" }]) },
    { type: "conversation.item.added", item: { id: "f", type: "function_call" } },
  ]) {
    t.equal(withEvent(before, event), before);
  }
});
