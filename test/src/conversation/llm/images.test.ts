// Images of the person's camera: how they go to the server, and servers that refuse them.
import t from "tap";
import { LanguageModel } from "../../../../src/conversation/llm/language-model.ts";
import type { LlmTurn } from "../../../../src/conversation/llm/llm-turn.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";
import {
  type ChatReply,
  type ChatRequest,
  type ChatServer,
  withChatServer,
} from "../../../helpers/servers/with-chat-server.ts";

const [{ words }] = WIRE_FORMS;
const GOOD: ChatReply = { body: words(["A", " coat", "."]) };
const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);
const IMAGE_URL = "data:image/jpeg;base64,/9j/2Q==";
/** What servers write when their model takes no images. Sources: llama.cpp, vLLM, Ollama, LM Studio, OpenAI, and a
 *  server with a parser that knows only text. */
const REFUSALS: readonly ChatReply[] = [
  {
    status: 500,
    body: { error: { message: "image input is not supported - hint: you may need to provide the mmproj" } },
  },
  { status: 400, body: { object: "error", message: "llama-8b is not a multimodal model" } },
  { status: 400, body: { error: { message: "this model is missing data required for image input" } } },
  { status: 400, body: { error: "Model does not support images. Please use a model that does." } },
  { status: 400, body: { error: { message: "Invalid content type. image_url is only supported by certain models." } } },
  {
    status: 422,
    body: { detail: [{ loc: ["body", "messages", 1, "content"], msg: "Input should be a valid string" }] },
  },
  { status: 413, body: "too large" },
  { status: 400, body: {} },
];

const holdsImage = ({ body }: ChatRequest): boolean => JSON.stringify(body).includes(IMAGE_URL);

async function ask(server: ChatServer, llm: LanguageModel, turn: Partial<LlmTurn> = {}): Promise<string> {
  const history = [
    { role: "user" as const, text: "Hello." },
    { role: "assistant" as const, text: "Hi." },
    { role: "user" as const, text: "What am I wearing?" },
  ];
  let text = "";
  const image = { bytes: JPEG, type: "image/jpeg" as const };
  for await (const piece of llm.answer({ instructions: "Be brief.", history, image, ...turn })) text += piece;
  return `${text} (${server.requests.length})`;
}

t.test("an image goes with what the user said last, and with nothing else", async (t) => {
  await withChatServer(
    () => GOOD,
    async (server) => {
      const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" });
      t.equal(await ask(server, llm), "A coat. (1)");
      const { messages } = server.requests[0].body;
      t.match(messages.at(-1), {
        role: "user",
        content: [
          { type: "text", text: /^What am I wearing\?/ },
          { type: "image_url", image_url: { url: IMAGE_URL } },
        ],
      });
      t.same(messages[1], { role: "user", content: "Hello." });
      await ask(server, llm, { image: undefined });
      t.notOk(holdsImage(server.requests[1]));
      t.same(server.requests[1].body.messages.at(-1), { role: "user", content: "What am I wearing?" });
    },
  );
});

t.test("a model that refuses images is called without, which is remembered", async (t) => {
  for (const refusal of REFUSALS) {
    await withChatServer(
      (request) => (holdsImage(request) ? refusal : GOOD),
      async (server) => {
        const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" });
        t.equal(llm.takesImages, true);
        const name = JSON.stringify(refusal.body);
        t.equal(await ask(server, llm), "A coat. (2)", name);
        t.equal(llm.takesImages, false, name);
        t.equal(await ask(server, llm), "A coat. (3)", "it is not tried again");
        t.match(server.requests[1].body, { stream_options: { include_usage: true } }, "nothing else is left out");
      },
    );
  }
});

t.test("a refusal of something else leaves the image in", async (t) => {
  const tool = { name: "clock", description: "", parameters: {}, run: async () => "noon" };
  await withChatServer(
    ({ body }) => ("tools" in body ? { status: 400, body: { error: "does not support tools" } } : GOOD),
    async (server) => {
      const llm = new LanguageModel({ baseUrl: server.baseUrl, model: "m" });
      t.equal(await ask(server, llm, { tools: [tool] }), "A coat. (2)");
      t.ok(holdsImage(server.requests[1]));
      t.equal(llm.takesImages, true);
    },
  );
});
