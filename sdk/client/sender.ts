// Sends a call: its request, its attempts, and what they come to.
import type { CallOptions, Operation, WithResponse } from "./call-types.ts";
import { errorOf, requestIdOf } from "./error-of.ts";
import {
  ApiError,
  AvatarError,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
} from "./errors.ts";
import { readText } from "./read-text.ts";
import { encodeBody, type RequestBody } from "./request-body.ts";
import type { Settings } from "./settings.ts";
import { orAbort, wait } from "./wait.ts";

/** The first wait before a retry, ms; it doubles from attempt to attempt. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A service that asks for a longer wait than this has refused for now. */
const LONGEST_ASKED_MS = 60_000;
/** So much of a wait is random, that callers refused together do not come back together. */
const JITTER = 0.25;
/** Timers count no further. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What an operation is called with. */
export interface CallArguments {
  path?: readonly string[];
  query?: Readonly<Record<string, unknown>>;
  body?: Readonly<Record<string, unknown>> | RequestBody;
}

interface Request {
  operation: Operation;
  url: string;
  init: RequestInit;
}

export class Sender {
  readonly #settings: Settings;
  readonly #notices = new Set<string>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Sends the call until it is answered. Rejects with AvatarError, or the reason of the call's signal. */
  async send(operation: Operation, given: CallArguments, options: CallOptions = {}): Promise<WithResponse<unknown>> {
    const { signal } = options;
    const { apiSecret, baseUrl, headers: common } = this.#settings;
    signal?.throwIfAborted();
    const url = baseUrl + pathOf(operation.path, given.path ?? []) + queryOf(given.query);
    const headers: Record<string, string> = { accept: operation.answer === "raw" ? "*/*" : "application/json" };
    if (typeof apiSecret === "string") headers["api-secret"] = apiSecret;
    const idempotencyKey = operation.acceptsKey ? (options.idempotencyKey ?? newKey()) : undefined;
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    for (const [name, value] of Object.entries({ ...common, ...options.headers })) headers[name.toLowerCase()] = value;
    if (!operation.isOpen && apiSecret !== null && !headers["api-secret"] && !headers.authorization) {
      throw new ConfigurationError("This call needs an API secret: pass apiSecret, or set AVATAR_API_SECRET.");
    }
    const encoded = given.body && (await orAbort(toBody(operation, given.body, signal), signal));
    if (encoded?.contentType) headers["content-type"] = encoded.contentType;
    // A redirect would carry the secret to another address.
    const init: RequestInit = { method: operation.method, headers, body: encoded?.body, redirect: "manual" };
    try {
      return await this.#attempt({ operation, url, init }, options);
    } catch (error) {
      if (error instanceof ConnectionError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /** Fetches a file that the service links to, perhaps elsewhere: without the secret. */
  fetchFile(url: string, options: CallOptions = {}): Promise<WithResponse<unknown>> {
    const operation: Operation = { method: "GET", path: "the file", isOpen: true, answer: "raw" };
    return this.#attempt({ operation, url, init: { headers: options.headers } }, options);
  }

  async #attempt(request: Request, options: CallOptions): Promise<WithResponse<unknown>> {
    const { maxRetries = this.#settings.maxRetries, signal } = options;
    const { method, path } = request.operation;
    for (let retries = 0; ; retries++) {
      try {
        return await this.#try(request, options);
      } catch (error) {
        const waitMs = retries < maxRetries ? retryDelay(error, retries) : undefined;
        if (waitMs === undefined) throw error;
        const { httpStatus, code } = error as ApiError;
        const when = `retry ${retries + 1} in ${Math.round(waitMs)} ms`;
        this.#settings.logger.warn?.(`${method} ${path}: ${httpStatus} ${code}, ${when}`);
        await wait(waitMs, signal);
      }
    }
  }

  async #try({ operation, url, init }: Request, options: CallOptions): Promise<WithResponse<unknown>> {
    const { timeoutMs = this.#settings.timeoutMs, signal: given } = options;
    const { fetch, logger } = this.#settings;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
    // The given signal ends the reading of a file, too; this one holds no listener on it.
    const signal = given ? AbortSignal.any([controller.signal, given]) : controller.signal;
    const place = `${operation.method} ${operation.path}`;
    const startedMs = performance.now();
    try {
      const response = await orAbort(fetch(url, { ...init, signal }), signal);
      logger.debug?.(`${place}: ${response.status} after ${Math.round(performance.now() - startedMs)} ms`);
      const isRedirect = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
      if (isRedirect) throw redirected(response);
      const requestId = requestIdOf(response);
      if (operation.answer === "raw" && response.ok) return { data: response, response, requestId };
      const text = await orAbort(readText(response), signal);
      if (!response.ok) throw errorOf(response, text);
      return { data: this.#read(operation, response, text), response, requestId };
    } catch (error) {
      given?.throwIfAborted();
      if (controller.signal.aborted) throw new TimeoutError(`${place}: no answer within ${timeoutMs} ms`);
      if (error instanceof AvatarError) throw error;
      throw new ConnectionError(`${place}: ${new URL(url).origin} cannot be reached (${causeOf(error)})`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #read({ answer }: Operation, response: Response, text: string): unknown {
    if (text === "") return undefined;
    let body: { data?: unknown; plan_notice?: unknown };
    try {
      body = JSON.parse(text);
    } catch {
      const type = response.headers.get("content-type")?.split(";")[0] || "no type";
      throw invalid(response, `The answer is ${type}, not the service's JSON. Is baseUrl the service's address?`);
    }
    const data = answer === "data" ? body.data : body;
    const notice = response.headers.get("x-service-plan-notice") ?? (data as typeof body | undefined)?.plan_notice;
    if (typeof notice === "string" && !this.#notices.has(notice)) {
      this.#notices.add(notice);
      this.#settings.onPlanNotice?.(notice);
    }
    return data;
  }
}

function toBody(operation: Operation, body: NonNullable<CallArguments["body"]>, signal?: AbortSignal) {
  if (typeof body.contentType === "string") return Promise.resolve(body as RequestBody);
  return encodeBody(operation, body as Readonly<Record<string, unknown>>, signal);
}

/** The path with its parameters. An empty one, or dots, would lead to another route. */
function pathOf(path: string, values: readonly string[]): string {
  let at = 0;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[at++];
    if (typeof value !== "string" || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} must be a text, and neither empty nor dots: it is part of the address`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: Readonly<Record<string, unknown>> = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return set.length === 0 ? "" : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}

/** How long to wait before the next attempt, ms; undefined if there is to be none. */
function retryDelay(error: unknown, retries: number): number | undefined {
  if (!(error instanceof ApiError) || (error.httpStatus !== 429 && error.httpStatus < 500)) return undefined;
  const ownMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** retries);
  const { retryAfterMs: askedMs } = error;
  if (askedMs === undefined) return ownMs * (1 - JITTER * Math.random());
  return askedMs > LONGEST_ASKED_MS ? undefined : askedMs + ownMs * JITTER * Math.random();
}

function redirected(response: Response): InvalidResponseError {
  const target = response.headers.get("location");
  return invalid(response, `The answer is a redirect${target ? ` to ${target}` : ""}. Set baseUrl to where it leads.`);
}

function invalid(response: Response, message: string): InvalidResponseError {
  return new InvalidResponseError({
    message,
    code: "INVALID_RESPONSE",
    httpStatus: response.status,
    requestId: requestIdOf(response),
  });
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? (inner || message);
}

/** Not `randomUUID`, which browsers have only on secure pages. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
