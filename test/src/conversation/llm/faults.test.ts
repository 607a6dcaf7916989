// Servers that fail, stall, never stop or answer in ways of their own, over HTTP.
import { inspect } from "node:util";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { LanguageModel } from "../../../../src/conversation/llm/language-model.ts";
import type { AnswerReport, LlmLimits, LlmTurn } from "../../../../src/conversation/llm/llm-turn.ts";
import { fetchChat, type RequestChat } from "../../../../src/conversation/llm/request-chat.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";
import { type ChatReply, type ChatServer, withChatServer } from "../../../helpers/servers/with-chat-server.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const KEY = "sk-secret-key";
const QUESTION = "A private question";
const [{ words }] = WIRE_FORMS;
const GOOD = words(["It", " works", "."]);
/** Of servers that are silent. Where words are awaited, the limit stays as it is. */
const SHORT_MS = 60;

/** One chunk with a delta. */
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const say = (content: string) => chunk({ content });

interface Answered {
  text: string;
  report?: AnswerReport;
  error?: unknown;
  sent?: number;
}

/** What a language model says on a server that replies with each of `replies` in turn, then with the last of them. */
async function answerTo(
  replies: readonly ChatReply[],
  { limits, ...turn }: Partial<LlmTurn> & { limits?: Partial<LlmLimits> } = {},
  inspectServer: (server: ChatServer) => unknown = () => undefined,
): Promise<Answered> {
  let sent = 0;
  return withChatServer(
    ({ headers }) => replies[Math.min(Number(headers["x-count"]), replies.length) - 1],
    async (server) => {
      const settings = { baseUrl: server.baseUrl, apiKey: KEY, model: "m" };
      const fetching = fetchChat(settings);
      // Counted here, because a request that is given up early may not reach the server.
      const request: RequestChat = (json, headers, signal) =>
        fetching(json, { ...headers, "x-count": String(++sent) }, signal);
      const answered = await listen(new LanguageModel(settings, { request, limits: { retryMs: 1, ...limits } }), turn);
      await inspectServer(server);
      return { ...answered, sent };
    },
  );
}

async function listen(llm: LanguageModel, turn: Partial<LlmTurn> = {}): Promise<Answered> {
  let text = "";
  try {
    const history = [{ role: "user" as const, text: QUESTION }];
    const answer = llm.answer({ instructions: "Be brief.", history, ...turn });
    for (;;) {
      const next = await answer.next();
      if (next.done) return { text, report: next.value };
      text += next.value;
    }
  } catch (error) {
    return { text, error };
  }
}

t.test("streams with faults of form are understood", async (t) => {
  const forms: Record<string, ChatReply> = {
    "without [DONE]": { body: GOOD.replace("data: [DONE]\n\n", "") },
    "without [DONE] and an end of line": { body: say("It works.").trimEnd() },
    "without spaces and empty lines": { body: GOOD.replaceAll("data: ", "data:").replaceAll("\n\n", "\n") },
    "with comments and other fields": {
      body: `: PROCESSING\n\nid: 7\nretry: 100\n${GOOD.replaceAll("data:", ": ping\n\nevent: message\ndata:")}`,
    },
    "with garbage": {
      body: `\u0000\u0001{{\n<b>\ndata: {"choices":\ndata: null\ndata: 7\ndata: [1]\ndata: {"choices":[null]}\n${GOOD}`,
    },
    "with empty deltas": { body: chunk({}) + chunk({ content: "" }) + chunk({ content: null }) + GOOD },
    "with text behind its end": { body: `${GOOD}data: ${"x".repeat(2000)}\n` },
    "with the whole text in one delta": { body: chunk({ role: "assistant", content: "It works." }, "stop") },
    "with another content type": { headers: { "content-type": "text/plain" }, body: GOOD },
    "that is JSON": {
      body: { object: "chat.completion", choices: [{ message: { content: "It works." }, finish_reason: "stop" }] },
    },
    "that is JSON in lines": { body: GOOD.replaceAll("data: ", "").replace("[DONE]", "") },
    "that stays open": { body: GOOD, ending: "hang" },
    "that breaks behind its end": { body: GOOD, ending: "break" },
    "with content in parts": {
      body: chunk({
        content: [
          { type: "thinking", thinking: [] },
          { type: "text", text: "It works." },
        ],
      }),
    },
  };
  for (const [name, reply] of Object.entries(forms)) {
    const { text, report, error } = await answerTo([reply]);
    t.same([text, report?.end, report?.requests, error], ["It works.", "complete", 1, undefined], name);
  }
});

t.test("thoughts are never said", async (t) => {
  const forms: Record<string, string[]> = {
    "a field": [
      chunk({ reasoning_content: "Hm" }),
      chunk({ reasoning: "Hm" }),
      chunk({ thinking: "Hm" }),
      say("It works."),
    ],
    "a tag": ["\n<thi", "nk>Hm, </thin", "g> no </th", "ink>\n\n<think>", "</think>", " It", " works."].map(say),
    "in one delta": [say("<THINKING>Hm, İ</thinking>It works.")],
  };
  for (const [name, chunks] of Object.entries(forms)) {
    t.equal((await answerTo([{ body: chunks.join("") }])).text, "It works.", name);
  }
  for (const text of ["<thin ice> is here", "<", "2 < 3, see <think>"]) {
    t.equal((await answerTo([{ body: [...text].map(say).join("") }])).text, text, "only a tag at the beginning counts");
  }
  const unended = await answerTo([{ body: say("<think>Hm, it works.") }]);
  t.match(unended, { text: "", error: { code: "upstream-unavailable" } });
});

t.test("a fault before the first word is repeated once, then it is an error without key and words", async (t) => {
  const echo = JSON.stringify({ error: { message: `${QUESTION} ${KEY}` } });
  const faults: [string, ChatReply, string, string][] = [
    ["silence", { ending: "hang" }, "timeout", "The model server sent nothing for 0.06 s."],
    ["a head alone", { body: "", ending: "hang" }, "timeout", "The model server sent nothing for 0.06 s."],
    [
      "comments alone",
      { body: ": ping\n\n".repeat(50), ending: "hang" },
      "timeout",
      "The model server sent nothing for 0.06 s.",
    ],
    [
      "it breaks off",
      { body: chunk({ role: "assistant" }), ending: "break" },
      "upstream-unavailable",
      "The model server cannot be reached, or broke off.",
    ],
    ["it is busy", { status: 429, body: echo }, "upstream-unavailable", "The model server answered with status 429."],
    ["it fails", { status: 503, body: echo }, "upstream-unavailable", "The model server answered with status 503."],
    [
      "it fails in its stream",
      { body: `data: ${echo}\n\n` },
      "upstream-unavailable",
      "The model server answered with status 500.",
    ],
    [
      "earlier llama.cpp's way",
      { body: `error: {"code":503,"message":"${QUESTION}"}\n\n` },
      "upstream-unavailable",
      "The model server answered with status 503.",
    ],
    ["nothing", { body: "data: [DONE]\n\n" }, "upstream-unavailable", "The model server's answer is empty."],
    ["a page", { body: "<html>Hello</html>" }, "upstream-unavailable", "The model server's answer is empty."],
  ];
  for (const [name, fault, code, message] of faults) {
    const limits = code === "timeout" ? { firstMs: SHORT_MS } : {};
    const { text, error, sent } = await answerTo([fault], { limits });
    t.match({ text, error, sent }, { text: "", error: { code, message }, sent: 2 }, name);
    const shown = inspect(error, { depth: 9 });
    t.notOk(shown.includes(KEY) || shown.includes(QUESTION), "neither key nor words are in the error");
    if (code === "timeout") continue;
    const second = await answerTo([fault, { body: GOOD }]);
    t.match(second, { text: "It works.", report: { end: "complete", requests: 2 } }, `${name}, once`);
  }
  const late = await answerTo([{ ending: "hang" }, { body: GOOD }], { limits: { firstMs: 1_000 } });
  t.match(late, { text: "It works.", report: { end: "complete", requests: 2 } });
});

t.test("what cannot pass is not repeated", async (t) => {
  const faults: [string, ChatReply, string][] = [
    ["a wrong key", { status: 401, body: "{}" }, "The model server refused the key with status 401."],
    [
      "no such model",
      { status: 404, body: { error: "model not found" } },
      "The model server refused the request with status 404.",
    ],
    [
      "an endless line",
      { body: `data: ${"x".repeat(1_100_000)}`, ending: "hang" },
      "The model server's answer is too large.",
    ],
    [
      "endless calls",
      {
        body: Array.from({ length: 9 }, (_, index) =>
          chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: "f" } }] }),
        ).join(""),
      },
      "The model writes calls of tools without an end.",
    ],
  ];
  for (const [name, fault, message] of faults) {
    const { error, sent } = await answerTo([fault]);
    t.match({ error, sent }, { error: { code: "program-failed", message }, sent: 1 }, name);
  }
  const limits = { stallMs: SHORT_MS, thinkingMs: 2 * SHORT_MS };
  const thinking = await answerTo([{ body: chunk({ reasoning: "Hm" }), ending: "hang" }], { limits });
  t.match(thinking, { error: { code: "timeout" }, sent: 1 }, "a model that was thinking would think again");
});

t.test("a key that headers cannot hold is an error that does not quote it", async (t) => {
  const { error } = await listen(
    new LanguageModel({ baseUrl: "http://127.0.0.1:9/v1", apiKey: `${KEY}\nx`, model: "m" }),
  );
  t.match(error, { code: "invalid-input" });
  t.notOk(inspect(error, { depth: 9 }).includes(KEY));
});

t.test("a redirect is not followed: key and words are for the operator's server alone", async (t) => {
  await withChatServer(
    () => ({ body: GOOD }),
    async (other) => {
      const location = `${other.baseUrl}/chat/completions`;
      const { error } = await answerTo([{ status: 307, headers: { location } }]);
      t.ok(isEngineError(error) && error.code === "upstream-unavailable");
      t.equal(other.requests.length, 0);
    },
  );
});

t.test("an answer that stalls or breaks off ends with what came", async (t) => {
  for (const [ending, end] of [
    ["hang", "stalled"],
    ["break", "broken"],
  ] as const) {
    const { text, report } = await answerTo([{ body: say("It") + say(" works"), ending }], {
      limits: { stallMs: SHORT_MS },
    });
    t.match({ text, report }, { text: "It works", report: { end, requests: 1 } });
  }
  const failed = await answerTo([{ body: `${say("It works")}data: {"error":{"message":"CUDA"}}\n\n` }]);
  t.match(failed, { text: "It works", report: { end: "broken" } });
  const short = await answerTo([{ body: say("It works") + chunk({}, "length") }]);
  t.match(short, { text: "It works", report: { end: "cut" } });
});

t.test("an answer that never stops is cut behind a sentence, and its connection is dropped", async (t) => {
  const endless = (token: string) => ({ body: say(token.repeat(20)).repeat(400), ending: "hang" as const });
  const sentence = ["Some words", ".", " And"].map(say).join("");
  await answerTo([{ body: sentence.repeat(300), ending: "hang" }], {}, async (server) => {
    await waitFor(() => server.dropped === 1, "the connection is dropped");
  }).then(({ text, report }) => {
    t.equal(report?.end, "cut");
    t.ok(text.length >= 4_000 && text.length < 4_020, `${text.length} characters`);
    t.match(text, /words\.$/);
  });
  const { text } = await answerTo([endless(" word")]);
  t.ok(text.length > 4_300 && text.length <= 4_400 && text.endsWith("word"), "no sentence: it ends with a word");
  t.ok((await answerTo([endless("x")])).text.length <= 4_400, "no words");
  t.equal((await answerTo([endless("Yes. ")], { limits: { answerCharacters: 12 } })).text.trim(), "Yes. Yes. Yes.");
});

t.test("a caller who gives up ends the answer at once, with the reason of the signal", async (t) => {
  const reasons: Record<string, ChatReply> = {
    "before the first word": { ending: "hang" },
    "in the middle": { body: say("It"), ending: "hang" },
  };
  for (const [name, reply] of Object.entries(reasons)) {
    const controller = new AbortController();
    await withChatServer(
      () => {
        setTimeout(() => controller.abort(new Error("interrupted")), name === "in the middle" ? 50 : 0);
        return reply;
      },
      async (server) => {
        const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" });
        t.match((await listen(llm, { signal: controller.signal })).error, { message: "interrupted" }, name);
        await waitFor(() => server.dropped === 1, "the connection is dropped");
        t.match((await listen(llm, { signal: controller.signal })).error, { message: "interrupted" });
        t.equal(server.requests.length, 1, "an aborted turn sends nothing");
      },
    );
  }
  await withChatServer(
    () => ({ body: say("It"), ending: "hang" }),
    async (server) => {
      const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" });
      for await (const _ of llm.answer({ instructions: "", history: [{ role: "user", text: "?" }] })) break;
      await waitFor(() => server.dropped === 1, "a listener who leaves ends the request");
    },
  );
});
