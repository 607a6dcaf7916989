import t from "tap";
import { writePersona } from "../../../../api/agents/creation/write-persona.ts";
import { createOpenAiEndpoint } from "../../../../api/kernel/outgoing/openai-endpoint.ts";
import { createLogger } from "../../../../program/log.ts";
import { type ModelReply, type ModelServer, withModelServer } from "../../../helpers/servers/with-model-server.ts";

const logger = createLogger({ name: "test", level: "silent" });
const PROMPT = "You are Otto, a grumpy lighthouse keeper. He knows every ship.";
const WRITTEN = {
  name: "Otto",
  description: "A grumpy lighthouse keeper who knows every ship.",
  system_prompt: "You are Otto, keeper of the lighthouse. Answer gruffly, in one or two sentences.",
  greeting: "Ahoy. Mind the step.",
  language: "en",
  gender: "male",
  subject: "person",
};

const saying = (content: string): ModelReply => ({ json: { choices: [{ message: { role: "assistant", content } }] } });

function write(
  replies: ModelReply[],
  check: (persona: Awaited<ReturnType<typeof writePersona>>, server: ModelServer) => void,
  order: { name?: string } = {},
) {
  let next = 0;
  return withModelServer(
    () => replies[Math.min(next++, replies.length - 1)],
    async (server) => {
      const endpoint = createOpenAiEndpoint({ baseUrl: `${server.baseUrl}/`, apiKey: "key-of-the-model" });
      const { signal } = new AbortController();
      check(
        await writePersona({ writer: { endpoint, model: "writer-1" }, logger }, { prompt: PROMPT, ...order }, signal),
        server,
      );
      await endpoint.close();
    },
  );
}

t.test("a language model writes name, description and system prompt from the prompt", async (t) => {
  await write([saying(`Here you are:\n\`\`\`json\n${JSON.stringify(WRITTEN)}\n\`\`\``)], (persona, { requests }) => {
    t.match(persona, {
      name: "Otto",
      description: WRITTEN.description,
      systemPrompt: WRITTEN.system_prompt,
      greeting: "Ahoy. Mind the step.",
      gender: "male",
      language: "en",
      subject: "person",
    });
    t.match(requests, [
      {
        path: "/v1/chat/completions",
        authorization: "Bearer key-of-the-model",
        body: { model: "writer-1", response_format: { type: "json_object" } },
      },
    ]);
    t.match(requests[0].body.messages[1], { role: "user", content: /grumpy lighthouse keeper/ });
  });
});

t.test("a model without JSON mode is instructed in words; missing fields are derived from the prompt", async (t) => {
  const { language: _language, gender: _gender, subject: _subject, ...short } = WRITTEN;
  const refusal: ModelReply = { status: 400, json: { error: { message: "response_format is not supported" } } };
  await write([refusal, saying(JSON.stringify(short))], (persona, { requests }) => {
    t.match(persona, { name: "Otto", systemPrompt: WRITTEN.system_prompt, gender: "male", language: "en" });
    t.equal(requests[1].body.response_format, undefined);
  });
});

t.test("if a model fails or answers invalid content twice, the persona is derived from the prompt", async (t) => {
  const plain = { name: "Otto", systemPrompt: PROMPT, greeting: "", gender: "male", language: "en", subject: "person" };
  const cases: ModelReply[] = [
    saying("I cannot do that."),
    saying('{"name": "", "description": 7}'),
    { json: { choices: [] } },
    { json: "<html>" },
    { status: 503, json: {} },
  ];
  for (const reply of cases) {
    await write([reply], (persona, { requests }) => {
      t.match(persona, plain);
      t.equal(requests.length, 2, "tried twice");
    });
  }
  const endpoint = createOpenAiEndpoint({ baseUrl: "http://127.0.0.1:9/v1" });
  const { signal } = new AbortController();
  t.match(
    await writePersona({ writer: { endpoint, model: "x" }, logger }, { prompt: PROMPT }, signal),
    plain,
    "no server",
  );
  t.match(await writePersona({ writer: null, logger }, { prompt: PROMPT }, signal), plain, "none configured");
  await endpoint.close();
});

t.test("a greeting that is too long, or in a language that no voice speaks, is left out", async (t) => {
  for (const changes of [{ greeting: "x".repeat(241) }, { greeting: 7 }, { language: "eo" }, { greeting: undefined }]) {
    await write([saying(JSON.stringify({ ...WRITTEN, ...changes }))], (persona, { requests }) => {
      t.match(persona, { name: "Otto", systemPrompt: WRITTEN.system_prompt, greeting: "" });
      t.equal(requests.length, 1);
    });
  }
});

t.test("a name that the owner has chosen, or chosen to leave out, stays whatever the model writes", async (t) => {
  for (const name of ["Vera", ""]) {
    const check: Parameters<typeof write>[1] = (persona, { requests }) => {
      t.equal(persona.name, name);
      t.match(requests[0].body.messages[1].content, name === "" ? /no name/ : /Vera/);
    };
    await write([saying(JSON.stringify(WRITTEN))], check, { name });
  }
  await write([saying(JSON.stringify({ ...WRITTEN, name: "" }))], (persona) => t.equal(persona.name, "Otto"));
});
