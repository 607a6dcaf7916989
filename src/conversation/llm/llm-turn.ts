// What a language model is given for one answer, and what it says about it afterwards.
import type { ToolCall, ToolRound } from "./tool-calls.ts";

/** A message of the conversation. `context` is what the model should know from then on, without anyone having said
 *  it. */
export interface LlmMessage {
  role: "user" | "assistant" | "context";
  text: string;
}

/** Something that the model may look up or do while it answers. */
export interface LlmTool {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** Tells the model when to use it. */
  description: string;
  /** JSON schema of an object. */
  parameters: Readonly<Record<string, unknown>>;
  /** `args`: an object that the model wrote, unchecked. Resolves with text for the model. If it rejects, the model is
   *  told that the tool failed, and not why. Absent: the caller runs the tool, and an answer that calls it ends. */
  run?(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
}

/** What the user shows while speaking: a still of a camera, or an image that a client has sent. */
export interface LlmImage {
  bytes: Uint8Array;
  type: "image/jpeg" | "image/png" | "image/webp";
}

export interface LlmTurn {
  /** The agent's prompt: leads the system message. */
  instructions: string;
  /** Oldest first. Any order of roles; the last message that is no context is the user's. */
  history: readonly LlmMessage[];
  /** Goes to the model with the user's last message, if the server takes images. Default: none. */
  image?: LlmImage;
  /** Id of the person, for the server's abuse checks. Default: not sent. */
  user?: string;
  /** Further headers of the requests. They do not replace the client's own. */
  headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  tools?: readonly LlmTool[];
  /** `required`: the model must call a tool. Default: it decides. */
  toolChoice?: "required" | { name: string };
  /** Calls of tools that the caller has run since the user's last message. Default: none. */
  rounds?: readonly ToolRound[];
  /** Ends the answer; the generator then throws the signal's reason. */
  signal?: AbortSignal;
}

/** `cut`: by our limit of characters, or the server's of tokens. `stalled`: the server sent nothing more. `broken`: it
 *  broke off. */
export type AnswerEnd = "complete" | "cut" | "stalled" | "broken";

/** Tokens as the server counts them, of all requests of an answer. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export interface AnswerReport {
  end: AnswerEnd;
  /** Calls of tools that the caller is to run; empty without any. */
  calls: readonly ToolCall[];
  /** How often the model used tools. */
  toolRounds: number;
  /** Requests sent: 1 without tools, retries and refusals. */
  requests: number;
  /** Undefined if the server does not tell. */
  usage: TokenUsage | undefined;
}

/** Limits of one answer. */
export interface LlmLimits {
  /** Longest wait for the first sign of an answer, ms: words, a thought or a tool call. */
  firstMs: number;
  /** Longest silence after that, ms. */
  stallMs: number;
  /** Longest wait for words from a server that sends thoughts, ms. */
  thinkingMs: number;
  /** Longest wait for the end of a stream after its complete answer, ms. A stream that is read to its end leaves its
   *  connection to the next request. */
  tailMs: number;
  /** Longest wait for a tool, ms. */
  toolMs: number;
  /** Least delay before a request to a server that was busy or not reached is repeated, ms; at most twice as long. */
  retryMs: number;
  /** The answer ends with the sentence that reaches this many characters. */
  answerCharacters: number;
}

export const DEFAULT_LLM_LIMITS: Readonly<LlmLimits> = Object.freeze({
  firstMs: 8_000,
  stallMs: 8_000,
  thinkingMs: 30_000,
  tailMs: 200,
  toolMs: 5_000,
  retryMs: 200,
  answerCharacters: 4_000,
});
