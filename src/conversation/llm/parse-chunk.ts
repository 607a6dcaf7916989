// What one chunk of an answer says, in the spellings of the servers that we know.
import type { TokenUsage } from "./llm-turn.ts";
import type { ToolCallPiece } from "./tool-calls.ts";

export interface ChatChunk {
  /** Words for the listener; empty in most chunks of other kinds. */
  text: string;
  /** It holds a part of the model's thoughts, which is dropped here. */
  isThought: boolean;
  calls: ToolCallPiece[];
  /** `stop`, `length`, `tool_calls` and others. Undefined until the last chunk with a choice. */
  finish: string | undefined;
  usage: TokenUsage | undefined;
  /** The server gave up. The text may quote the request. */
  error: { status: number; text: string } | undefined;
}

/** Fields with thoughts: DeepSeek's, llama.cpp's and vLLM's; OpenRouter's, Ollama's and later vLLM's. */
const THOUGHT_FIELDS = ["reasoning_content", "reasoning", "thinking"];

/** Reads a chunk of a stream, or an answer in one piece. Undefined for JSON of any other kind. Never throws. */
export function parseChunk(value: unknown): ChatChunk | undefined {
  const chunk = recordOf(value);
  if (!chunk) return undefined;
  const error = errorOf(chunk);
  const usage = usageOf(chunk.usage);
  if (!error && !usage && !Array.isArray(chunk.choices)) return undefined;
  // The usage comes in a chunk of its own, without choices.
  const choice = (Array.isArray(chunk.choices) ? recordOf(chunk.choices[0]) : undefined) ?? {};
  const whole = recordOf(choice.message);
  const delta = recordOf(choice.delta) ?? whole ?? {};
  const content = contentOf(delta.content);
  return {
    text: content.text || stringOf(delta.refusal),
    isThought: content.isThought || THOUGHT_FIELDS.some((field) => stringOf(delta[field]) !== ""),
    calls: Array.isArray(delta.tool_calls)
      ? delta.tool_calls.flatMap((call, at) => callPieceOf(call, whole && at))
      : [],
    finish: stringOf(choice.finish_reason) || undefined,
    usage,
    error,
  };
}

/** Text, or a list of parts of which some are thoughts. */
function contentOf(content: unknown): { text: string; isThought: boolean } {
  if (!Array.isArray(content)) return { text: stringOf(content), isThought: false };
  const parts = content.map(recordOf);
  return {
    text: parts.map((part) => (part?.type === "text" ? stringOf(part.text) : "")).join(""),
    isThought: parts.some((part) => part?.type === "thinking"),
  };
}

/** `at`: its place among whole calls, which need no index. */
function callPieceOf(value: unknown, at: number | undefined): ToolCallPiece[] {
  const call = recordOf(value);
  if (!call) return [];
  const named = recordOf(call.function) ?? {};
  const args = named.arguments;
  return [
    {
      index: typeof call.index === "number" ? call.index : at,
      id: stringOf(call.id) || undefined,
      name: stringOf(named.name) || undefined,
      // Some servers send the object itself.
      args: recordOf(args) ? JSON.stringify(args) : stringOf(args),
    },
  ];
}

function usageOf(value: unknown): TokenUsage | undefined {
  const usage = recordOf(value);
  if (!usage) return undefined;
  const [promptTokens, completionTokens] = [usage.prompt_tokens, usage.completion_tokens];
  if (typeof promptTokens !== "number" || typeof completionTokens !== "number") return undefined;
  return { promptTokens, completionTokens };
}

/** `{"error": {"message", "code"}}`, `{"error": "text"}`, or `{"object": "error", "message", "code"}` of earlier
 *  vLLM. */
function errorOf(chunk: Readonly<Record<string, unknown>>): ChatChunk["error"] {
  const value = chunk.object === "error" ? chunk : chunk.error;
  if (value === undefined || value === null) return undefined;
  const error = recordOf(value) ?? { message: stringOf(value) };
  const status = [error.code, error.status].find((code): code is number => typeof code === "number");
  return { status: status ?? 500, text: stringOf(error.message) };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : undefined;
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
