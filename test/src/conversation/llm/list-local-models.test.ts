// The language models that programs on this machine offer, and what else answers on their ports.
import t from "tap";
import { listLocalModels } from "../../../../src/conversation/llm/list-local-models.ts";
import { type ChatReply, type ChatRequest, withChatServer } from "../../../helpers/servers/with-chat-server.ts";

const PATIENT = { timeoutMs: 20_000 };

/** Answers by path; 404 for any other. */
const byPath =
  (answers: Readonly<Record<string, object>>) =>
  ({ path }: ChatRequest): ChatReply =>
    path in answers ? { body: answers[path] } : { status: 404, body: {} };

const OLLAMA = byPath({
  "/v1/models": {
    object: "list",
    data: [
      { id: "llama3.2:latest", owned_by: "library" },
      { id: "nomic-embed-text", owned_by: "library" },
    ],
  },
  "/api/tags": {
    models: [
      { name: "llama3.2:latest", size: 2_019_393_189 },
      { name: "nomic-embed-text", size: 274_302_450 },
    ],
  },
  "/api/ps": { models: [{ name: "llama3.2:latest", size: 3_300_000_000 }] },
});

const LLAMA_CPP = byPath({
  "/v1/models": { object: "list", data: [{ id: "gemma.gguf", owned_by: "llamacpp", meta: { size: 806_000_000 } }] },
});

t.test("models are listed in the order of the ports, with size and memory where a program tells them", async (t) => {
  await withChatServer(OLLAMA, (ollama) =>
    withChatServer(LLAMA_CPP, async (llama) => {
      const models = await listLocalModels({ ...PATIENT, ports: [llama.port, ollama.port] });
      t.same(models, [
        {
          program: "llama.cpp",
          baseUrl: llama.baseUrl,
          model: "gemma.gguf",
          isForChat: true,
          sizeBytes: 806_000_000,
          memoryBytes: null,
        },
        {
          program: "Ollama",
          baseUrl: ollama.baseUrl,
          model: "llama3.2:latest",
          isForChat: true,
          sizeBytes: 2_019_393_189,
          memoryBytes: 3_300_000_000,
        },
        {
          program: "Ollama",
          baseUrl: ollama.baseUrl,
          model: "nomic-embed-text",
          isForChat: false,
          sizeBytes: 274_302_450,
          memoryBytes: 0,
        },
      ]);
      t.ok([...ollama.requests, ...llama.requests].every(({ headers }) => headers.authorization === undefined));
    }),
  );
});

t.test("what is no list of models has none, and takes no longer than the limit", async (t) => {
  const others: Record<string, ChatReply> = {
    "a page": { headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" },
    "a redirect": { status: 302, headers: { location: "http://127.0.0.1:1/v1/models" } },
    "an endless list": { body: `{"object":"list","data":["${"x".repeat(2_000_000)}`, ending: "hang" },
    "other types": { body: { object: "list", data: [{ id: 4 }, null, "model", { id: "" }] } },
    "broken off": { body: '{"object":"list"', ending: "break" },
  };
  for (const [name, reply] of Object.entries(others)) {
    await withChatServer(
      () => reply,
      async ({ port }) => t.same(await listLocalModels({ ...PATIENT, ports: [port] }), [], name),
    );
  }
  await withChatServer(
    () => ({ ending: "hang" }),
    async ({ port }) => t.same(await listLocalModels({ ports: [port], timeoutMs: 50 }), [], "silence"),
  );
  t.same(await listLocalModels({ ports: [1] }), [], "nothing listens there");
});

t.test("names are bounded and hold nothing that a terminal would execute; wrong details are left out", async (t) => {
  const hostile = byPath({
    "/v1/models": {
      object: "list",
      data: [
        { id: "evil\u001b[2J\u0007\nmodel", owned_by: "library" },
        ...Array.from({ length: 500 }, (_, index) => ({ id: `${"m".repeat(500)}${index}` })),
      ],
    },
    "/api/tags": { models: [{ name: 7 }, null, { name: "evil\u001b[2J\u0007\nmodel", size: "big" }] },
    "/api/ps": { models: "many" },
  });
  await withChatServer(hostile, async ({ port }) => {
    const models = await listLocalModels({ ...PATIENT, ports: [port] });
    t.match(models[0], { model: "evil[2Jmodel", sizeBytes: null, memoryBytes: 0 });
    t.equal(models.length, 200);
    t.ok(models.every(({ model }) => model.length <= 120));
  });
});
