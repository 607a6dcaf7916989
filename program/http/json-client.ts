// The HTTP client of our programs for each other's JSON: answers have a deadline and a bound, and one error says that
// the other side refused.
import { setTimeout as delay } from "node:timers/promises";
import { GrowingBytes } from "./growing-bytes.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 3_000;
/** Statuses that another attempt may change, besides those of a failed server. */
const TEMPORARY = [408, 429];

export interface JsonClientOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Time for an answer as a whole, ms. Default 10,000. */
  timeoutMs?: number;
  /** Gets the headers of each answer, refusals included. Default: nothing does. */
  onAnswer?(headers: Headers): void;
}

export interface JsonRequest {
  headers?: Record<string, string>;
  /** As the client's. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Calls in all, until one succeeds or is refused for good, with pauses of 200 ms to 3 s between them. Default 1. */
  attempts?: number;
}

/** An answer with a status of 400 or more. It contains nothing of the request but its path. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(path: string, { status, headers }: Response, text: string) {
    super(`${path} was answered with ${status}`);
    this.name = "HttpRefusal";
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}

/** Methods throw HttpRefusal, else what prevented an answer: the network's error, TimeoutError, the signal's reason, or
 *  RangeError for an answer over its bound. */
export class JsonClient {
  readonly #options: JsonClientOptions;

  constructor(options: JsonClientOptions) {
    this.#options = options;
  }

  get(path: string, request: JsonRequest = {}): Promise<unknown> {
    return this.#call("GET", path, request);
  }

  /** Throws SyntaxError, too, for an answer that is no JSON. */
  post(path: string, body: object, { headers, ...request }: JsonRequest = {}): Promise<unknown> {
    const type = { "content-type": "application/json" };
    return this.#call("POST", path, { ...request, headers: { ...headers, ...type } }, JSON.stringify(body));
  }

  /** The bytes of any URL, which may redirect. */
  download(url: string, limitBytes: number, { attempts, ...request }: JsonRequest = {}): Promise<Uint8Array> {
    return retry(attempts, () => this.#fetch(url, { method: "GET", redirect: "follow" }, request, limitBytes));
  }

  /** The value of an answer; undefined for an empty one. Credentials are meant for this server alone, so redirects are
   *  not followed. */
  #call(method: string, path: string, { attempts, ...request }: JsonRequest, body?: string): Promise<unknown> {
    const url = this.#options.baseUrl + path;
    return retry(attempts, async () => {
      const bytes = await this.#fetch(url, { method, body, redirect: "error" }, request, MAX_JSON_BYTES);
      return bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes));
    });
  }

  async #fetch(url: string, init: RequestInit, request: JsonRequest, limitBytes: number): Promise<Uint8Array> {
    const { headers, signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = request;
    const late = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { ...init, headers, signal: signal ? AbortSignal.any([signal, late]) : late });
    this.#options.onAnswer?.(answer.headers);
    if (answer.ok) return readBounded(answer, limitBytes);
    const text = new TextDecoder().decode(await readBounded(answer, MAX_JSON_BYTES));
    throw new HttpRefusal(new URL(url).pathname, answer, text);
  }
}

async function readBounded({ body }: Response, limitBytes: number): Promise<Uint8Array> {
  const bytes = new GrowingBytes();
  // The type of a web stream lacks the async iteration that Node gives it.
  for await (const piece of (body as AsyncIterable<Uint8Array> | null) ?? []) {
    if (bytes.length + piece.length > limitBytes) throw new RangeError(`an answer is larger than ${limitBytes} bytes`);
    bytes.append(piece);
  }
  return new Uint8Array(bytes.view);
}

async function retry<T>(attempts = 1, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= attempts || !isTemporary(error)) throw error;
      const pauseMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
      // Jitter, so that clients that failed together do not come back together.
      await delay(pauseMs * (0.75 + Math.random() / 2));
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HttpRefusal) return error.status >= 500 || TEMPORARY.includes(error.status);
  return !(error instanceof RangeError);
}
