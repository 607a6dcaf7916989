// Text mode: turns and answers in writing.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { LanguageModel } from "../../../../src/conversation/llm/language-model.ts";
import { TextSession, type TextSessionOptions } from "../../../../src/conversation/realtime/text-session.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";
import {
  type ChatReply,
  type ChatRequest,
  type ChatServer,
  withChatServer,
} from "../../../helpers/servers/with-chat-server.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const [{ words }] = WIRE_FORMS;

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = Record<string, any>;

interface Test {
  session: TextSession;
  events: Event[];
  server: ChatServer;
  /** Resolves with the n-th `response.done`. */
  done(count: number): Promise<Event>;
  ends: number;
}

async function withTextSession(
  options: Partial<TextSessionOptions>,
  work: (test: Test) => Promise<void>,
  reply: (request: ChatRequest, count: number) => ChatReply = (_, count) => ({ body: words(["Answer ", `${count}.`]) }),
): Promise<void> {
  await withChatServer(reply, async (server) => {
    const events: Event[] = [];
    const session = new TextSession({
      instructions: "Be kind.",
      language: "en",
      llm: new LanguageModel({ baseUrl: server.baseUrl, model: "m" }, { limits: { retryMs: 1 } }),
      ...options,
      send: (event) => events.push(event),
      onEnd: () => {
        test.ends += 1;
      },
    });
    const doneEvents = () => events.filter(({ type }) => type === "response.done");
    const done = (count: number) => waitFor(() => doneEvents()[count - 1], `answer ${count}`);
    const test: Test = { session, events, server, done, ends: 0 };
    session.start();
    await work(test);
    session.close();
  });
}

t.test("a turn is answered in writing, and the model knows what was said before", async (t) => {
  await withTextSession({ greeting: "Welcome!" }, async ({ session, events, server, done }) => {
    session.receive({ type: "user.turn", turn: 1, text: "Hello." });
    await done(1);
    t.match(events, [
      { type: "response.created", turn: 1, response_id: /^resp_/ },
      { type: "response.text.delta", turn: 1, delta: "Answer " },
      { type: "response.text.delta", turn: 1, delta: "1." },
      { type: "response.done", turn: 1, status: "completed" },
    ]);
    session.receive({ type: "user.turn", turn: 2, text: "And then?" });
    await done(2);
    t.match(server.requests[1].body.messages, [
      { role: "system", content: /^Be kind\.[\s\S]*Welcome!/ },
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Answer 1." },
      { role: "user", content: "And then?" },
    ]);
  });
});

t.test("a turn that replaces another one takes its place", async (t) => {
  await withTextSession({}, async ({ session, server, done }) => {
    session.receive({ type: "user.turn", turn: "a", text: "Helo." });
    await done(1);
    session.receive({ type: "user.turn", turn: "b", text: "Hello.", replaces: "a" });
    await done(2);
    t.same(server.requests[1].body.messages.slice(1), [{ role: "user", content: "Hello." }]);
  });
});

t.test("a cancelled answer ends, and counts as far as it was heard", async (t) => {
  const reply = (_: ChatRequest, count: number): ChatReply =>
    count === 1
      ? {
          body: `data: ${JSON.stringify({ choices: [{ delta: { content: "A long story. It goes on." } }] })}\n\n`,
          ending: "hang",
        }
      : { body: words(["Fine."]) };
  await withTextSession(
    {},
    async ({ session, events, server, done }) => {
      session.receive({ type: "user.turn", turn: 1, text: "Tell me." });
      await waitFor(() => events.find(({ type }) => type === "response.text.delta"), "words");
      session.receive({ type: "response.cancel", turn: 1, heard_chars: 13 });
      t.match(await done(1), { turn: 1, status: "cancelled" });
      await waitFor(() => server.dropped === 1, "the dropped request");
      session.receive({ type: "user.turn", turn: 2, text: "Go on." });
      await done(2);
      t.match(server.requests[1].body.messages.at(-2), { role: "assistant", content: "A long story." });
    },
    reply,
  );
});

t.test("a turn during an answer ends it", async (t) => {
  await withTextSession({}, async ({ session, events, done }) => {
    session.receive({ type: "user.turn", turn: 1, text: "One." });
    session.receive({ type: "user.turn", turn: 2, text: "Two." });
    await done(2);
    t.match(
      events.filter(({ type }) => type !== "response.text.delta").map(({ type, turn, status }) => [type, turn, status]),
      [
        ["response.created", 1, undefined],
        ["response.done", 1, "cancelled"],
        ["response.created", 2, undefined],
        ["response.done", 2, "completed"],
      ],
    );
  });
});

t.test("turns have a million characters in all: the oldest are forgotten", async (t) => {
  await withTextSession({}, async ({ session, events, done }) => {
    for (let turn = 1; turn <= 60; turn++) session.receive({ type: "user.turn", turn, text: "x".repeat(20_000) });
    await done(60);
    const knows = (turn: number) => {
      const { length } = events;
      session.receive({ type: "response.cancel", turn });
      return events.slice(length).every(({ type }) => type !== "error");
    };
    t.notOk(knows(1));
    t.notOk(knows(10));
    t.ok(knows(12));
    t.ok(knows(60));
  });
});

t.test("a model that fails is told; without one a sentence says so", async (t) => {
  await withTextSession(
    {},
    async ({ session, done }) => {
      session.receive({ type: "user.turn", turn: 1, text: "One." });
      t.match(await done(1), { status: "failed" });
    },
    () => ({ status: 404, body: "" }),
  );
  await withTextSession({ llm: null }, async ({ session, events, done }) => {
    session.receive({ type: "user.turn", turn: 1, text: "One." });
    t.match(await done(1), { status: "completed" });
    t.match(events[1].delta, /no language model/);
  });
});

t.test("the client ends the session, and bad events get errors", async (t) => {
  await withTextSession({}, async (test) => {
    const { session, events } = test;
    for (const bad of [
      null,
      1,
      { type: "x", event_id: "e" },
      { type: "user.turn", turn: 1 },
      { type: "response.cancel", turn: 9 },
    ]) {
      session.receive(bad);
      t.match(events.at(-1), { type: "error", error: { type: "invalid_request_error", message: String } });
    }
    session.refuse("A frame is JSON.");
    t.match(events.at(-1), { error: { code: "invalid_json" } });
    session.receive({ type: "session.end" });
    t.equal(test.ends, 1);
    session.close();
    const { length } = events;
    session.receive({ type: "user.turn", turn: 1, text: "One." });
    await delay(50);
    t.equal(events.length, length);
  });
});
