// How four servers write the same answers of `/v1/chat/completions`: OpenAI, Ollama, llama.cpp's server, vLLM. They
// differ in the first delta, in how calls of tools are divided, in the last chunks, and in their errors.

export interface WireCall {
  id: string;
  name: string;
  args: object;
}

export interface WireForm {
  name: string;
  /** A stream of words. `thoughts` come first, where the server has a field for them. */
  words(tokens: readonly string[], thoughts?: readonly string[]): string;
  /** A stream of calls, behind words. */
  calls(calls: readonly WireCall[], tokens?: readonly string[]): string;
  /** What it answers to a part of a request that it does not take. */
  refusals: Readonly<Record<"tools" | "system" | "stream_options", { status: number; json: object }>>;
  /** Its `/v1/models`, with a model for embeddings first. */
  models: object;
}

/** Of every answer: the servers send it in a chunk without choices. */
const WIRE_USAGE = { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 };

type Json = Record<string, unknown>;

interface Dialect {
  name: string;
  /** Fields of every chunk. */
  chunk: Json;
  /** Fields of every choice. */
  choice?: Json;
  /** The delta before the first word; undefined if there is none. */
  first?: Json;
  word(token: string): Json;
  thought?(token: string): Json;
  /** The deltas of one call. */
  call(call: WireCall, index: number): Json[];
  last: Json;
  /** Fields of the last choice. */
  lastChoice?: Json;
  usage?: Json;
  refusals: WireForm["refusals"];
  model: Json;
}

function formOf(dialect: Dialect): WireForm {
  const event = (json: Json) => `data: ${JSON.stringify(json)}\n\n`;
  const delta = (value: Json, finish: string | null = null, further: Json = {}) =>
    event({
      ...dialect.chunk,
      choices: [{ index: 0, delta: value, ...dialect.choice, finish_reason: finish, ...further }],
    });
  const end = (finish: string) =>
    delta(dialect.last, finish, dialect.lastChoice) +
    event({ ...dialect.chunk, choices: [], usage: WIRE_USAGE, ...dialect.usage }) +
    "data: [DONE]\n\n";
  const stream = (deltas: readonly Json[], finish: string) =>
    [...(dialect.first ? [dialect.first] : []), ...deltas].map((value) => delta(value)).join("") + end(finish);
  return {
    name: dialect.name,
    words: (tokens, thoughts = []) => {
      const thinking = dialect.thought ? thoughts.map(dialect.thought) : [];
      return stream([...thinking, ...tokens.map(dialect.word)], "stop");
    },
    calls: (calls, tokens = []) => {
      return stream([...tokens.map(dialect.word), ...calls.flatMap(dialect.call)], "tool_calls");
    },
    refusals: dialect.refusals,
    models: {
      object: "list",
      data: [
        { ...dialect.model, id: "nomic-embed-text:latest", object: "model" },
        { ...dialect.model, id: "talker-8b", object: "model" },
      ],
    },
  };
}

/** The arguments in pieces of `size` characters. */
function piecesOf({ args }: WireCall, size: number): string[] {
  return JSON.stringify(args).match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
}

const further = (index: number, args: string): Json => ({ tool_calls: [{ index, function: { arguments: args } }] });

const OPENAI = formOf({
  name: "OpenAI",
  chunk: {
    id: "chatcmpl-C1",
    object: "chat.completion.chunk",
    created: 1763900000,
    model: "talker-8b-2026-01-01",
    service_tier: "default",
    system_fingerprint: "fp_1",
    usage: null,
  },
  choice: { logprobs: null },
  first: { role: "assistant", content: "", refusal: null },
  word: (content) => ({ content }),
  call: (call, index) => [
    { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] },
    ...piecesOf(call, 3).map((args) => further(index, args)),
  ],
  last: {},
  refusals: {
    tools: openAiError("Unsupported parameter: 'tools' is not supported with this model."),
    system: openAiError("Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    stream_options: openAiError("Unknown parameter: 'stream_options'."),
  },
  model: { created: 1763900000, owned_by: "system" },
});

const OLLAMA = formOf({
  name: "Ollama",
  chunk: {
    id: "chatcmpl-12",
    object: "chat.completion.chunk",
    created: 1763900000,
    model: "talker",
    system_fingerprint: "fp_ollama",
  },
  // Says the role each time.
  word: (content) => ({ role: "assistant", content }),
  thought: (reasoning) => ({ role: "assistant", content: "", reasoning }),
  // Whole calls, with index 0 for each in versions before 0.12.
  call: ({ id, name, args }) => [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, index: 0, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
  ],
  last: { role: "assistant", content: "" },
  refusals: {
    tools: ollamaError("registry.ollama.ai/library/talker:latest does not support tools"),
    system: ollamaError("invalid role: system"),
    stream_options: ollamaError('json: unknown field "stream_options"'),
  },
  model: { created: 1763900000, owned_by: "library" },
});

const LLAMA_CPP = formOf({
  name: "llama.cpp",
  chunk: {
    created: 1763900000,
    id: "chatcmpl-q",
    model: "talker.gguf",
    system_fingerprint: "b7000-1",
    object: "chat.completion.chunk",
  },
  first: { role: "assistant", content: null },
  word: (content) => ({ content }),
  thought: (reasoning_content) => ({ reasoning_content }),
  call: (call, index) =>
    piecesOf(call, 5).map((args, at) =>
      at > 0
        ? further(index, args)
        : { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: args } }] },
    ),
  last: {},
  usage: { timings: { prompt_n: 21, predicted_n: 9, predicted_per_second: 40.1 } },
  refusals: {
    tools: {
      status: 500,
      json: { error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" } },
    },
    system: {
      status: 500,
      json: { error: { code: 500, message: "Value is not callable: System role not supported", type: "server_error" } },
    },
    stream_options: {
      status: 400,
      json: { error: { code: 400, message: "Unsupported param: stream_options", type: "invalid_request_error" } },
    },
  },
  model: { created: 1763900000, owned_by: "llamacpp", meta: { n_params: 8_030_261_312 } },
});

const VLLM = formOf({
  name: "vLLM",
  chunk: { id: "chatcmpl-8f", object: "chat.completion.chunk", created: 1763900000, model: "talker-8b" },
  choice: { logprobs: null },
  first: { role: "assistant", content: "" },
  word: (content) => ({ content }),
  thought: (reasoning_content) => ({ reasoning_content }),
  // The name alone, then the arguments.
  call: (call, index) => [
    { tool_calls: [{ id: call.id, type: "function", index, function: { name: call.name } }] },
    ...piecesOf(call, 7).map((args) => further(index, args)),
  ],
  last: { content: "" },
  lastChoice: { stop_reason: null },
  refusals: {
    tools: vllmError('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    system: vllmError("Conversation roles must alternate user/assistant/user/assistant/..."),
    stream_options: vllmError("[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]"),
  },
  model: { created: 1763900000, owned_by: "vllm", max_model_len: 8192, permission: [] },
});

/** All four. */
export const WIRE_FORMS: readonly WireForm[] = [OPENAI, OLLAMA, LLAMA_CPP, VLLM];

function openAiError(message: string): { status: number; json: object } {
  return { status: 400, json: { error: { message, type: "invalid_request_error", param: null, code: null } } };
}

function ollamaError(message: string): { status: number; json: object } {
  return { status: 400, json: { error: { message, type: "api_error", param: null, code: null } } };
}

/** Of versions before 0.10; later ones wrap it in `error`. */
function vllmError(message: string): { status: number; json: object } {
  return { status: 400, json: { object: "error", message, type: "BadRequestError", param: null, code: 400 } };
}
