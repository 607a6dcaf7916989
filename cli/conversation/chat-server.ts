// A language model of a script: a server with the OpenAI protocol's `/chat/completions` that answers what it is told
// to, after a known time.
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type LoopbackServer, startLoopbackServer } from "./loopback-server.ts";

/** How an answer goes wrong: status 500, a connection that breaks in the middle, or text that is no answer. */
export type ChatFault = "refuses" | "breaks" | "garbage";

export interface ChatServerOptions {
  /** The answer to what the user said last. `request`: all that the model was given. */
  answer(said: string, request: string): string;
  /** From the request to the first token, ms. */
  firstTokenMs: number;
  /** Between two tokens, ms. */
  tokenMs: number;
}

export interface GivenAnswer {
  /** What the user said last. */
  said: string;
  text: string;
  /** When the request had arrived, ms of `performance.now`. */
  atMs: number;
  /** When its first token was sent; undefined if none was. */
  firstTokenAtMs: number | undefined;
  /** Whether all of it was sent. */
  isComplete: boolean;
}

const content = z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish();
const bodySchema = z.object({ messages: z.array(z.object({ role: z.string(), content })) });

export class ChatServer {
  /** May be changed between turns. */
  readonly options: ChatServerOptions;
  /** Oldest first. An answer that is begun ahead and not wanted is one, too. */
  readonly served: GivenAnswer[] = [];
  #fault: ChatFault | undefined;
  #server: LoopbackServer | undefined;

  private constructor(options: ChatServerOptions) {
    this.options = { ...options };
  }

  /** Starts on a free port. */
  static async start(options: ChatServerOptions): Promise<ChatServer> {
    const chat = new ChatServer(options);
    chat.#server = await startLoopbackServer(({ path, text, atMs }, response) => {
      if (path === "/v1/chat/completions") return chat.#answer(text, atMs, response);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
    });
    return chat;
  }

  /** For OPENAI_BASE_URL. */
  get baseUrl(): string {
    return `${this.#server?.url}/v1`;
  }

  /** From now on answers go wrong; with undefined no longer. */
  failWith(fault: ChatFault | undefined): void {
    this.#fault = fault;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #answer(body: string, atMs: number, response: ServerResponse): Promise<void> {
    const { messages } = bodySchema.parse(JSON.parse(body));
    const said = textOf(messages.findLast(({ role }) => role === "user")?.content);
    const { answer, firstTokenMs, tokenMs } = this.options;
    const text = answer(said, messages.map((message) => textOf(message.content)).join("\n"));
    const served: GivenAnswer = { said, text, atMs, firstTokenAtMs: undefined, isComplete: false };
    this.served.push(served);
    const fault = this.#fault;
    if (fault === "refuses") {
      response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"out of memory"}}');
      return;
    }
    if (firstTokenMs > 0) await delay(firstTokenMs);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (fault === "garbage") {
      response.end("<html>not an answer</html>");
      return;
    }
    const tokens = text.match(/\S+\s*/g) ?? [];
    for (const [index, token] of tokens.entries()) {
      if (response.destroyed) return;
      if (fault === "breaks" && index >= tokens.length / 2) {
        response.destroy();
        return;
      }
      served.firstTokenAtMs ??= performance.now();
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: token } }] })}\n\n`);
      if (tokenMs > 0) await delay(tokenMs);
    }
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    );
    served.isComplete = true;
  }
}

function textOf(parts: z.infer<typeof content>): string {
  if (typeof parts === "string") return parts;
  return (parts ?? []).map(({ text = "" }) => text).join("");
}
