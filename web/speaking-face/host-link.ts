// The page's end of its connection with the host: JSON-RPC in messages between frame and parent. Source: the
// specification of MCP Apps, 2026-01-26.
import { en, type ProblemCode, type SpeakingTexts } from "./texts/en.ts";

const PROTOCOL_VERSION = "2026-01-26";
const HANDSHAKE_MS = 10_000;
const UNKNOWN_METHOD = -32_601;
/** Most requests that wait for an answer. */
const MOST_PENDING = 32;

/** What the host tells of itself. Nothing of it is certain to be there. */
export interface HostContext {
  theme?: unknown;
  locale?: unknown;
}

/** What a tool returned. */
export interface ToolResult {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  content: readonly ContentBlock[];
}

export interface ContentBlock {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  resource?: { mimeType?: string; blob?: string };
}

export interface HostEvents {
  onContext(context: HostContext): void;
  /** The arguments of the call that this page shows. */
  onInput(given: Record<string, unknown>): void;
  onResult(result: ToolResult): void;
  onCancelled(): void;
  /** The page is taken away. */
  onClose(): void;
}

/** What failed, for the person: a problem of the page's own, in their language, or what host or service have said. */
export class HostError extends Error {
  override name = "HostError";
  readonly #own: ProblemCode | undefined;

  constructor(problem: ProblemCode | { said: string }) {
    super(typeof problem === "string" ? en.problems[problem] : problem.said);
    this.#own = typeof problem === "string" ? problem : undefined;
  }

  textIn({ problems }: SpeakingTexts): string {
    return this.#own ? problems[this.#own] : this.message;
  }
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

export class HostLink {
  readonly #host: Window;
  readonly #events: HostEvents;
  readonly #pending = new Map<number, Pending>();
  #count = 0;
  #canCallTools = false;

  constructor(host: Window, events: HostEvents) {
    this.#host = host;
    this.#events = events;
    window.addEventListener("message", (event: MessageEvent) => {
      if (event.source === this.#host) this.#take(event.data);
    });
  }

  /** Greets the host. Rejects with HostError if it does not answer within 10 s. */
  async open(): Promise<void> {
    const answer = asObject(
      await this.#request(
        "ui/initialize",
        {
          protocolVersion: PROTOCOL_VERSION,
          appInfo: { name: "speaking-face", version: "1.0.0" },
          appCapabilities: { availableDisplayModes: ["inline"] },
        },
        HANDSHAKE_MS,
      ),
    );
    this.#canCallTools = asObject(answer.hostCapabilities).serverTools !== undefined;
    this.#events.onContext(asObject(answer.hostContext));
    this.#notify("ui/notifications/initialized", {});
  }

  /** Calls a tool of the server that the page comes from. Rejects with HostError if it fails, or takes longer than
   *  `timeoutMs`. */
  async call(name: string, given: object, timeoutMs: number): Promise<ToolResult> {
    if (!this.#canCallTools) throw new HostError("NO_TOOLS");
    const result = toResult(await this.#request("tools/call", { name, arguments: given }, timeoutMs));
    if (result.isError) throw errorOf(result);
    return result;
  }

  tellSize(width: number, height: number): void {
    this.#notify("ui/notifications/size-changed", { width, height });
  }

  #request(method: string, params: object, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#pending.size >= MOST_PENDING) return reject(new HostError("BUSY"));
      const id = ++this.#count;
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new HostError("TIMED_OUT"));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ id, method, params });
    });
  }

  #notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    // The parent's origin is unknown to a frame without one, and nothing secret is sent.
    this.#host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #take(data: unknown): void {
    const message = asObject(data);
    if (message.jsonrpc !== "2.0") return;
    if (typeof message.method === "string") this.#hear(message.method, asObject(message.params), message.id);
    else if (typeof message.id === "number") this.#settle(message.id, message);
  }

  #settle(id: number, message: Record<string, unknown>): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    const { message: text } = asObject(message.error);
    if (message.error === undefined) pending.resolve(message.result);
    else pending.reject(new HostError(typeof text === "string" ? { said: text } : "REFUSED"));
  }

  #hear(method: string, params: Record<string, unknown>, id: unknown): void {
    const events = this.#events;
    if (method === "ui/notifications/tool-input") events.onInput(asObject(params.arguments));
    else if (method === "ui/notifications/tool-result") events.onResult(toResult(params));
    else if (method === "ui/notifications/tool-cancelled") events.onCancelled();
    else if (method === "ui/notifications/host-context-changed") events.onContext(params);
    if (id === undefined) return;
    if (method === "ui/resource-teardown") events.onClose();
    const isKnown = method === "ui/resource-teardown" || method === "ping";
    this.#send({
      id,
      ...(isKnown ? { result: {} } : { error: { code: UNKNOWN_METHOD, message: "Method not found" } }),
    });
  }
}

function errorOf({ content }: ToolResult): HostError {
  const text = content.find(({ type }) => type === "text")?.text ?? "";
  try {
    const { message } = asObject(asObject(JSON.parse(text)).error);
    if (typeof message === "string") return new HostError({ said: message });
  } catch {
    // Another form of error, which is shown as it is.
  }
  return new HostError(text === "" ? "FAILED" : { said: text.slice(0, 300) });
}

function toResult(value: unknown): ToolResult {
  const { content, structuredContent, isError } = asObject(value);
  const blocks = Array.isArray(content) ? content : [];
  return {
    content: blocks.filter((block): block is ContentBlock => typeof asObject(block).type === "string"),
    structuredContent: structuredContent === undefined ? undefined : asObject(structuredContent),
    isError: isError === true,
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
