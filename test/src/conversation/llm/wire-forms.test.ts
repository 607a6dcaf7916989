// Answers of four servers, in the bytes in which they write them, cut at any place.
import OpenAI from "openai";
import t from "tap";
import { createSeededRandom, type SeededRandom } from "../../../../lab/soak/seeded-random.ts";
import { LanguageModel } from "../../../../src/conversation/llm/language-model.ts";
import type { AnswerReport, LlmTool, LlmTurn } from "../../../../src/conversation/llm/llm-turn.ts";
import { WIRE_FORMS, type WireCall } from "../../../helpers/servers/chat-wire-forms.ts";
import { withChatServer } from "../../../helpers/servers/with-chat-server.ts";

const TOKENS = ["Das", " Café", " „Zur", " Brücke“", " öffnet", " um", " 9", " Uhr", " 🕘", "."];
const TEXT = TOKENS.join("");
const THOUGHTS = ["They", " ask", " for 9 {", "\n\n"];
const CALLS: WireCall[] = [
  { id: "call_a1", name: "search", args: { query: 'Öffnungs"zeiten" 🕘 {}', limit: 3 } },
  { id: "call_b2", name: "clock", args: {} },
];

t.test("the wire forms of the tests are read by OpenAI's own client", async (t) => {
  for (const form of WIRE_FORMS) {
    await withChatServer(
      (_, count) => ({ body: count === 1 ? form.words(TOKENS, THOUGHTS) : form.calls(CALLS) }),
      async ({ baseUrl }) => {
        const client = new OpenAI({ baseURL: baseUrl, apiKey: "none", maxRetries: 0 });
        const ask = async () => {
          const chunks: OpenAI.ChatCompletionChunk[] = [];
          const request = { model: "m", messages: [{ role: "user" as const, content: "?" }], stream: true as const };
          for await (const chunk of await client.chat.completions.create(request)) chunks.push(chunk);
          return chunks;
        };
        const words = await ask();
        t.equal(words.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), TEXT, form.name);
        const pieces = (await ask()).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
        t.equal(pieces.map((piece) => piece.function?.arguments ?? "").join(""), CALLS.map(argsOf).join(""));
      },
    );
  }
});

t.test("words, thoughts and calls of each server are the same wherever their bytes are cut", async (t) => {
  const random = createSeededRandom(16);
  for (const form of WIRE_FORMS) {
    for (let run = 0; run < 16; run++) {
      const lineEnd = random.pick(["\n", "\r\n", "\r"]);
      const bodies = [form.calls(CALLS, ["Moment", "."]), form.words(TOKENS, THOUGHTS)];
      const sent = bodies.map((body) => cutAnywhere(body.replaceAll("\n", lineEnd), random));
      const ran: object[] = [];
      let count = 0;
      const llm = new LanguageModel(
        { baseUrl: "http://model.invalid/v1", model: "m" },
        { request: async () => ({ status: 200, body: bytesOf(sent[count++]) }) },
      );
      const { text, report } = await answerOf(llm, { tools: toolsThatNote(ran) });
      if (text !== `Moment.\n\n${TEXT}` || JSON.stringify(ran) !== JSON.stringify(CALLS.map(({ args }) => args))) {
        t.fail(`${form.name}, run ${run}: ${text} ${JSON.stringify(ran)}`);
      }
      t.same(report.usage, { promptTokens: 42, completionTokens: 18 });
    }
  }
});

t.test("over HTTP, results of tools go back to the model, and headers and user reach the server", async (t) => {
  const random = createSeededRandom(17);
  for (const form of WIRE_FORMS) {
    await withChatServer(
      (_, count) => ({ body: cutAnywhere(count === 1 ? form.calls(CALLS) : form.words(TOKENS), random, 200) }),
      async (server) => {
        const llm = new LanguageModel({ baseUrl: `${server.baseUrl}/`, apiKey: "sk-key", model: "talker-8b" });
        const { text, report } = await answerOf(llm, {
          tools: toolsThatNote([]),
          user: "visitor-7",
          headers: { "X-LiveKit-Room-ID": "RM_1", Authorization: "Bearer other" },
        });
        t.equal(text, TEXT, form.name);
        t.same(report, {
          end: "complete",
          calls: [],
          toolRounds: 1,
          requests: 2,
          usage: { promptTokens: 42, completionTokens: 18 },
        });
        const [first, second] = server.requests;
        t.equal(`${first.method} ${first.path}`, "POST /v1/chat/completions");
        t.match(first.headers, { authorization: "Bearer sk-key", "x-livekit-room-id": "RM_1" });
        t.match(first.body, {
          model: "talker-8b",
          user: "visitor-7",
          stream: true,
          stream_options: { include_usage: true },
        });
        t.same(first.body.messages, [
          { role: "system", content: "You are Ada." },
          { role: "user", content: "When do you open?" },
        ]);
        t.equal(first.body.tools[0].function.name, "search");
        t.same(second.body.messages.slice(2), [
          {
            role: "assistant",
            content: "",
            tool_calls: CALLS.map((call) => ({
              id: call.id,
              type: "function",
              function: { name: call.name, arguments: argsOf(call) },
            })),
          },
          { role: "tool", tool_call_id: "call_a1", content: "search found 1" },
          { role: "tool", tool_call_id: "call_b2", content: "clock found 2" },
        ]);
        t.equal(server.dropped, 0, "streams are read to their end");
      },
    );
  }
});

t.test("each server is called without what it refuses, which is remembered", async (t) => {
  for (const form of WIRE_FORMS) {
    const refused = Object.keys(form.refusals) as (keyof typeof form.refusals)[];
    await withChatServer(
      ({ body }) => {
        const hasSystem = body.messages[0].role === "system";
        const feature = refused.find((name) => (name === "system" ? hasSystem : name in body));
        if (!feature) return { body: form.words(TOKENS) };
        const { status, json } = form.refusals[feature];
        return { status, body: json };
      },
      async (server) => {
        const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" });
        const first = await answerOf(llm, { tools: toolsThatNote([]) });
        t.equal(first.text, TEXT, form.name);
        t.equal(first.report.requests, 4);
        const second = await answerOf(llm, { tools: toolsThatNote([]), user: "visitor-7" });
        t.equal(second.report.requests, 1, "it is not tried again");
        const { body } = server.requests[4];
        t.same(body.messages, [{ role: "user", content: "You are Ada.\n\nWhen do you open?" }]);
        t.equal(body.user, "visitor-7", "what is not refused stays");
      },
    );
  }
});

function argsOf({ args }: WireCall): string {
  return JSON.stringify(args);
}

/** Tools that note their arguments and answer how many were noted. */
function toolsThatNote(ran: object[]): LlmTool[] {
  return CALLS.map(({ name }) => ({
    name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: {} },
    run: async (args) => `${name} found ${ran.push(args)}`,
  }));
}

async function answerOf(llm: LanguageModel, turn: Partial<LlmTurn>): Promise<{ text: string; report: AnswerReport }> {
  const history = [{ role: "user" as const, text: "When do you open?" }];
  const words = llm.answer({ instructions: "You are Ada.", history, ...turn });
  let text = "";
  for (;;) {
    const next = await words.next();
    if (next.done) return { text, report: next.value };
    text += next.value;
  }
}

/** The bytes of a text in parts of one byte up to `most`, within characters too. */
function cutAnywhere(text: string, random: SeededRandom, most = random.pick([1, 7, 60, 400])): Uint8Array[] {
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.integer(most);
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

async function* bytesOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
