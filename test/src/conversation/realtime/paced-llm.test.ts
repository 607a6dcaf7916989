// What a caller makes the language model compute has a rate, for each call and for all calls of its account.
import t from "tap";
import { TokenBucket } from "../../../../program/token-bucket.ts";
import { LanguageModel } from "../../../../src/conversation/llm/language-model.ts";
import type { LlmTurn } from "../../../../src/conversation/llm/llm-turn.ts";
import { PacedLlm } from "../../../../src/conversation/realtime/paced-llm.ts";
import { ACCOUNT_RATE, CALL_RATE } from "../../../../src/conversation/realtime/responses/answer-rates.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";
import { type ChatReply, type ChatServer, withChatServer } from "../../../helpers/servers/with-chat-server.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const [{ words }] = WIRE_FORMS;
const ANSWER: ChatReply = { body: words(["Fine."]) };
const TURN: LlmTurn = { instructions: "Be kind.", history: [{ role: "user", text: "Hello." }] };

function open(server: ChatServer, ...budgets: TokenBucket[]): PacedLlm {
  return new PacedLlm(new LanguageModel({ baseUrl: server.baseUrl, model: "m" }), [
    new TokenBucket(CALL_RATE),
    ...budgets,
  ]);
}

async function read(llm: PacedLlm, turn: LlmTurn = TURN): Promise<string> {
  let text = "";
  for await (const piece of llm.answer(turn)) text += piece;
  return text;
}

t.test("five answers begin at once, then one a second", async (t) => {
  await withChatServer(
    () => ANSWER,
    async (server) => {
      const llm = open(server);
      const startedMs = performance.now();
      await Promise.all(Array.from({ length: 6 }, () => read(llm)));
      t.equal(server.requests.length, 6);
      t.ok(performance.now() - startedMs > 900, `${performance.now() - startedMs} ms`);
    },
  );
});

t.test("500 answers that are cancelled at once are five requests, one after the other", async (t) => {
  await withChatServer(
    () => ({ ending: "hang" }),
    async (server) => {
      const llm = open(server);
      let most = 0;
      for (let count = 0; count < 500; count++) {
        const stopping = new AbortController();
        const answer = read(llm, { ...TURN, signal: stopping.signal }).catch(() => undefined);
        if (count % 100 === 0) await waitFor(() => server.requests.length > server.dropped, "a request");
        most = Math.max(most, server.requests.length - server.dropped);
        stopping.abort(new Error("cancelled"));
        await answer;
        if (count % 100 === 0) await waitFor(() => server.requests.length === server.dropped, "the dropped request");
      }
      t.ok(server.requests.length <= 6, `${server.requests.length} requests`);
      t.equal(most, 1);
    },
  );
});

t.test("an answer waits until the cancelled one is gone, and not for a server that stays silent", async (t) => {
  await withChatServer(
    (_, count) => (count === 1 ? { ending: "hang" } : ANSWER),
    async (server) => {
      const llm = open(server);
      const stopping = new AbortController();
      const first = read(llm, { ...TURN, signal: stopping.signal });
      await waitFor(() => server.requests.length === 1, "the first request");
      const second = read(llm);
      await new Promise((resolve) => setTimeout(resolve, 50));
      t.equal(server.requests.length, 1);
      stopping.abort(new Error("cancelled"));
      await t.rejects(first, { message: "cancelled" });
      t.equal(await second, "Fine.");
    },
  );
});

t.test("the calls of an account share a budget, and what cannot begin within ten seconds is refused", async (t) => {
  await withChatServer(
    () => ANSWER,
    async (server) => {
      const account = new TokenBucket(ACCOUNT_RATE);
      const llms = Array.from({ length: 8 }, () => open(server, account));
      const stopping = new AbortController();
      const answers = llms.flatMap((llm) =>
        Array.from({ length: 5 }, () => read(llm, { ...TURN, signal: stopping.signal }).catch(() => "")),
      );
      await waitFor(() => server.requests.length >= 20, "the burst of the account");
      t.ok(server.requests.length < 30, `${server.requests.length} requests`);
      stopping.abort(new Error("cancelled"));
      await Promise.all(answers);
      account.take(1_000);
      await t.rejects(read(open(server, account)), { code: "rate_limit_exceeded" });
    },
  );
});

t.test("a long request counts as several", async (t) => {
  let nowMs = 0;
  const budget = new TokenBucket(CALL_RATE, () => nowMs);
  await withChatServer(
    () => ANSWER,
    async (server) => {
      const llm = new PacedLlm(new LanguageModel({ baseUrl: server.baseUrl, model: "m" }), [budget]);
      await read(llm, { ...TURN, instructions: "x".repeat(100_000) });
      t.ok(budget.waitMs > 900);
      nowMs += 5_100;
      t.ok(budget.isFull);
    },
  );
});
