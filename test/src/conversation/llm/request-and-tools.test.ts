// What a model gets to read, what it is called without, and how its tools run.
import t from "tap";
import { LanguageModel } from "../../../../src/conversation/llm/language-model.ts";
import type { LlmMessage, LlmTool, LlmTurn } from "../../../../src/conversation/llm/llm-turn.ts";
import { WIRE_FORMS, type WireCall } from "../../../helpers/servers/chat-wire-forms.ts";
import {
  type ChatReply,
  type ChatRequest,
  type ChatServer,
  withChatServer,
} from "../../../helpers/servers/with-chat-server.ts";

const [{ words, calls }] = WIRE_FORMS;
const GOOD: ChatReply = { body: words(["It works."]) };
const ASKED: LlmMessage[] = [{ role: "user", text: "Well?" }];

async function withLlm(
  reply: (request: ChatRequest, count: number) => ChatReply,
  work: (say: (turn?: Partial<LlmTurn>) => Promise<string>, server: ChatServer) => Promise<void>,
): Promise<void> {
  await withChatServer(reply, async (server) => {
    const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" }, { limits: { retryMs: 1, toolMs: 50 } });
    await work(async (turn) => {
      let text = "";
      for await (const part of llm.answer({ instructions: "Be brief.", history: ASKED, ...turn })) text += part;
      return text;
    }, server);
  });
}

const toolOf = (name: string, run: LlmTool["run"]): LlmTool => ({ name, description: "", parameters: {}, run });

t.test("the model gets one system message, then user and assistant in turn", async (t) => {
  await withLlm(
    () => GOOD,
    async (say, { requests }) => {
      await say({
        history: [
          { role: "assistant", text: "Good morning!" },
          { role: "context", text: "The visitor is in Lyon." },
          { role: "user", text: "Hello" },
          { role: "user", text: " are you there? " },
          { role: "assistant", text: "" },
          { role: "context", text: "It rains." },
          { role: "assistant", text: "I am." },
          { role: "assistant", text: "What is it?" },
          { role: "user", text: "The weather." },
          { role: "context", text: "It has stopped." },
        ],
      });
      t.same(requests[0].body.messages, [
        {
          role: "system",
          content:
            "Be brief.\n\nThe visitor is in Lyon.\n\nIt rains.\n\nIt has stopped.\n\n" +
            "You opened this conversation by saying:\nGood morning!",
        },
        { role: "user", content: "Hello\nare you there?" },
        { role: "assistant", content: "I am.\nWhat is it?" },
        { role: "user", content: "The weather." },
      ]);
      t.same(Object.keys(requests[0].body), ["model", "messages", "stream", "stream_options"]);
      await say({ instructions: " " });
      t.same(requests[1].body.messages, [{ role: "user", content: "Well?" }]);
      for (const history of [[], [...ASKED, { role: "assistant" as const, text: "Yes." }]]) {
        await t.rejects(say({ history }), { code: "invalid-input" });
      }
      t.equal(requests.length, 2);
    },
  );
});

t.test("a refusal without a reason is tried with less, which is remembered if it helps", async (t) => {
  const tools = [toolOf("clock", async () => "noon")];
  await withLlm(
    ({ body }) => ("tools" in body ? { status: 400, body: "Bad Request" } : GOOD),
    async (say, { requests }) => {
      t.equal(await say({ tools, user: "u" }), "It works.");
      t.same(
        requests.map(({ body }) => ["stream_options", "user", "tools"].filter((part) => part in body)),
        [["stream_options", "user", "tools"], ["user", "tools"], ["tools"], []],
      );
      t.equal(await say({ tools }), "It works.");
      t.equal(requests.length, 5);
    },
  );
  let isBroken = true;
  await withLlm(
    () => (isBroken ? { status: 422, body: "{}" } : GOOD),
    async (say, { requests }) => {
      await t.rejects(say({ tools }), { code: "program-failed", message: /status 422/ });
      t.equal(requests.length, 4, "everything was tried");
      isBroken = false;
      await say({ tools });
      t.ok(
        ["stream_options", "tools"].every((part) => part in requests[4].body),
        "it did not help: nothing is remembered",
      );
      isBroken = true;
      await t.rejects(say({ tools }), { code: "program-failed" });
      t.equal(requests.length, 6, "the server has taken all of it before: something else is wrong");
    },
  );
});

t.test("a refusal in the stream counts, and what tools have found stays without them", async (t) => {
  await withLlm(
    ({ body }, count) => {
      if (count === 1) return { body: calls([{ id: "a", name: "clock", args: {} }], ["Let me look."]) };
      if (!("tools" in body)) return GOOD;
      return { body: `data: {"error":{"message":"role 'tool' is not supported: tools are off","code":400}}\n\n` };
    },
    async (say, { requests }) => {
      t.equal(await say({ tools: [toolOf("clock", async () => "It is noon.")] }), "Let me look.\n\nIt works.");
      t.same(requests[2].body.messages, [
        {
          role: "system",
          content: "Be brief.\n\nYou have just said: Let me look.\n\nResult of clock with {}:\nIt is noon.",
        },
        { role: "user", content: "Well?" },
      ]);
    },
  );
});

t.test("whatever goes wrong with a tool, the model is told and answers", async (t) => {
  const call = (name: string, args: unknown) => ({ function: { name, arguments: args } });
  const asked = [
    call("fails", "{}"),
    call("hangs", "{}"),
    call("none", "{}"),
    call("fails", '{"a'),
    call("echo", ""),
    call("echo", { a: 1 }),
  ];
  const message = { content: null, tool_calls: asked };
  await withLlm(
    (_, count) => (count === 1 ? { body: { choices: [{ message, finish_reason: "tool_calls" }] } } : GOOD),
    async (say, { requests }) => {
      const tools = [
        toolOf("fails", async () => Promise.reject(new Error("the database says: secret"))),
        toolOf("hangs", () => new Promise(() => undefined)),
        toolOf("echo", async (args) => (args.a ? JSON.stringify(args) : "")),
      ];
      t.equal(await say({ tools }), "It works.");
      const [assistant, ...results] = requests[1].body.messages.slice(2);
      t.same(
        results.map(({ content }: { content: string }) => content),
        [
          "The tool failed.",
          "The tool did not answer in time.",
          "There is no tool of this name.",
          "The arguments are not a JSON object.",
          "The tool found nothing.",
          '{"a":1}',
        ],
      );
      const ids = assistant.tool_calls.map(({ id }: { id: string }) => id);
      t.same(
        results.map(({ tool_call_id }: { tool_call_id: string }) => tool_call_id),
        ids,
      );
      t.ok(ids.every((id: string) => /^[a-z0-9]{9}$/.test(id)) && new Set(ids).size === 6, "ids that Mistral takes");
    },
  );
});

t.test("a model that only calls tools must answer after three rounds", async (t) => {
  let ran = 0;
  const again: WireCall[] = [{ id: "a", name: "count", args: {} }];
  await withLlm(
    ({ body }) => ("tools" in body ? { body: calls(again) } : GOOD),
    async (say, { requests }) => {
      t.equal(await say({ tools: [toolOf("count", async () => String(++ran))] }), "It works.");
      t.equal(ran, 3);
      t.match(requests[3].body.messages[0].content, /Result of count with \{\}:\n3$/);
    },
  );
});

t.test("a caller who gives up while a tool runs does not wait for it", async (t) => {
  const controller = new AbortController();
  await withLlm(
    () => ({ body: calls([{ id: "a", name: "hangs", args: {} }]) }),
    async (say, { requests }) => {
      const hangs = toolOf("hangs", (_, signal) => {
        t.notOk(signal.aborted);
        controller.abort(new Error("interrupted"));
        t.ok(signal.aborted);
        return new Promise(() => undefined);
      });
      await t.rejects(say({ tools: [hangs], signal: controller.signal }), { message: "interrupted" });
      t.equal(requests.length, 1);
    },
  );
});

t.test(
  "tools that the caller runs end the answer with their calls, and their results come with the next turn",
  async (t) => {
    const reply = (_: ChatRequest, count: number) =>
      count === 1 ? { body: calls([{ id: "c1", name: "look", args: { at: "me" } }], ["One moment."]) } : GOOD;
    await withChatServer(reply, async ({ baseUrl, requests }) => {
      const llm = new LanguageModel({ baseUrl, model: "m" });
      const turn = { instructions: "", history: ASKED, tools: [{ name: "look", description: "", parameters: {} }] };
      const read = async (answer: ReturnType<LanguageModel["answer"]>) => {
        for (;;) {
          const next = await answer.next();
          if (next.done) return next.value;
        }
      };
      const { calls: called, toolRounds } = await read(llm.answer({ ...turn, toolChoice: { name: "look" } }));
      t.same([called, toolRounds], [[{ id: "c1", name: "look", args: '{"at":"me"}' }], 0]);
      t.same(requests[0].body.tool_choice, { type: "function", function: { name: "look" } });
      const rounds = [{ text: "One moment.", calls: called, results: ["You."] }];
      t.match(await read(llm.answer({ ...turn, rounds })), { calls: [], toolRounds: 0, end: "complete" });
      t.match(requests[1].body.messages.slice(-2), [
        { role: "assistant", content: "One moment.", tool_calls: [{ id: "c1" }] },
        { role: "tool", tool_call_id: "c1", content: "You." },
      ]);
    });
  },
);
