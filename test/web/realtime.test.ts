// What the realtime page shows of a call, without a browser.
import t from "tap";
import { callCode } from "../../web/realtime/call-code.ts";
import { type CallTurn, withTurnEvent } from "../../web/realtime/call-turns.ts";
import { eventKind } from "../../web/realtime/event-kinds.ts";
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

type TimedEvent = readonly [atMs: number, type: string, more?: Record<string, unknown>];
/** `>` in front of a type: sent by the page. */
const turnsOf = (...events: TimedEvent[]): readonly CallTurn[] =>
  events.reduce<readonly CallTurn[]>((turns, [atMs, type, more]) => {
    const direction = type.startsWith(">") ? "out" : "in";
    return withTurnEvent(turns, direction, { type: type.replace(">", ""), ...more }, atMs);
  }, []);
const HEARD: readonly TimedEvent[] = [
  [1_000, "input_audio_buffer.speech_started"],
  [3_000, "input_audio_buffer.speech_stopped"],
  [3_100, "response.created"],
  [3_900, "output_audio_buffer.started"],
];
const spoken = { response: { status: "completed", output: [{ content: [{ type: "output_audio" }] }] } };

t.test("a turn is heard, thought about and spoken", async (t) => {
  t.match(turnsOf(HEARD[0]), [{ phase: "hearing", sinceMs: 1_000 }]);
  t.match(turnsOf(...HEARD.slice(0, 2)), [{ phase: "thinking", sinceMs: 3_000, heardMs: 2_000 }]);
  t.match(turnsOf(...HEARD), [{ phase: "speaking", sinceMs: 3_900, thoughtMs: 900 }]);
  t.same(turnsOf(...HEARD, [4_000, "response.done", spoken], [6_000, "output_audio_buffer.stopped"]), [
    { phase: "over", sinceMs: 6_000, heardMs: 2_000, thoughtMs: 900, spokeMs: 2_100 },
  ]);
});

t.test("an answer that is cut off says so, and the next turn begins", async (t) => {
  const turns = turnsOf(...HEARD, [5_000, "output_audio_buffer.cleared"], [5_000, "input_audio_buffer.speech_started"]);
  t.match(turns, [
    { phase: "over", spokeMs: 1_100, isInterrupted: true },
    { phase: "hearing", sinceMs: 5_000 },
  ]);
  t.match(turnsOf(...HEARD, [5_000, "input_audio_buffer.speech_started"]), [{ phase: "over", spokeMs: 1_100 }, {}]);
});

t.test("what is typed, and a greeting, are turns without a first part", async (t) => {
  const typed = turnsOf([100, ">response.create"], [200, "response.created"], [900, "output_audio_buffer.started"]);
  t.same(typed, [{ phase: "speaking", sinceMs: 900, thoughtMs: 800 }]);
  const greeting = turnsOf([200, "response.created"], [900, "output_audio_buffer.started"]);
  t.same(greeting, [{ phase: "speaking", sinceMs: 900, thoughtMs: 700 }]);
});

t.test("an answer in writing, and one that failed, end with their response", async (t) => {
  const written = { response: { status: "completed", output: [{ content: [{ type: "output_text" }] }] } };
  t.match(turnsOf([0, ">response.create"], [100, "response.output_text.delta"], [300, "response.done", written]), [
    { phase: "over", thoughtMs: 100, spokeMs: 200 },
  ]);
  const failed = { response: { status: "failed", output: [] } };
  t.match(turnsOf(...HEARD.slice(0, 3), [9_000, "response.done", failed]), [{ phase: "over", thoughtMs: 6_000 }]);
  t.equal(turnsOf(...HEARD, [4_000, "response.done", spoken]).at(-1)?.phase, "speaking", "its audio is still played");
});

t.test("other events change no turn, and old turns leave", async (t) => {
  const before = turnsOf(...HEARD);
  for (const type of ["session.updated", "rate_limits.updated", "input_audio_buffer.speech_stopped", "made.up"]) {
    t.equal(withTurnEvent(before, "in", { type }, 4_000), before, type);
  }
  const many = Array.from({ length: 200 }, (_, index) =>
    HEARD.map(([ms, type]) => [index * 9_000 + ms, type] as const),
  );
  t.equal(turnsOf(...many.flat()).length, 50);
});

t.test("events are sorted by what a person wants to see", async (t) => {
  const kinds = {
    "session.created": "bookkeeping",
    "rate_limits.updated": "bookkeeping",
    "conversation.item.added": "bookkeeping",
    "response.output_audio_transcript.delta": "piece",
    "response.output_audio_transcript.done": "answer",
    "response.done": "answer",
    "output_audio_buffer.started": "answer",
    "input_audio_buffer.speech_started": "speech",
    "conversation.item.input_audio_transcription.completed": "speech",
    "conversation.item.input_audio_transcription.failed": "error",
    error: "error",
  };
  for (const [type, kind] of Object.entries(kinds)) t.equal(eventKind(type), kind, type);
});

t.test("the call as code sends what the page sent, and a first sentence if that is nothing", async (t) => {
  const base = new URL("https://avatars.example/service/");
  const coded = { base, model: "it's a model", sent: [] };
  t.match(callCode(coded, "typescript"), '"wss://avatars.example/service/v1/realtime?model=it%27s+a+model"');
  t.match(callCode(coded, "typescript"), "Hello. Who are you?");
  t.match(callCode(coded, "curl"), "'https://avatars.example/service/v1/realtime/connect?model=it%27s+a+model'");
  const sent = [{ type: "session.update", session: { instructions: 'Say "yes".' } }, { type: "response.create" }];
  const python = callCode({ ...coded, sent }, "python");
  t.match(python, '"instructions": "Say \\"yes\\"."');
  t.notMatch(python, "Who are you?");
});
