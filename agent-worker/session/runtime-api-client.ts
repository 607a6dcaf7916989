// Client of the runtime API: fetches the job, and reports the state and the served seconds of a session.
import {
  type DispatchMetadata,
  type HeartbeatAnswer,
  type HeartbeatReport,
  heartbeatAnswerSchema,
  type JobDescription,
  jobDescriptionSchema,
  type KnowledgePassage,
  knowledgeAnswerSchema,
  type MessageReport,
  type SessionEvent,
} from "../../shared/runtime-api.ts";
import { retry } from "./retry.ts";

const REQUEST_TIMEOUT_MS = 10_000;
/** Timeout of an acceptance, ms; LiveKit waits for the worker's answer during this time. */
const ACCEPTANCE_TIMEOUT_MS = 2_000;
/** Timeout of a knowledge query, ms. A user waits during this time, and an answer without passages is better than a
 *  late one. */
const KNOWLEDGE_TIMEOUT_MS = 2_000;
/** Longer questions are truncated, characters. */
const KNOWLEDGE_MAX_CHARACTERS = 2_000;
/** Avatars are 1 to 3 MB, portraits at most 20. */
const DOWNLOAD_LIMIT_BYTES = 64 * 1024 * 1024;

/** An error response of the api. It never contains the token. */
export class RuntimeApiError extends Error {
  readonly status: number;

  constructor(status: number, path: string) {
    super(`the runtime API answered ${status} to ${path}`);
    this.name = "RuntimeApiError";
    this.status = status;
  }

  /** True if the session is out of credit, revoked, unknown or given to another worker. It must end then. */
  get isRefusal(): boolean {
    return [401, 402, 403, 404, 409, 410].includes(this.status);
  }
}

/** Client of one avatar session. Calls are retried while the api cannot be reached, except heartbeats, because the next
 *  one follows soon. */
export class RuntimeApiClient {
  readonly #baseUrl: string;
  readonly #apiOrigin: string;
  #token: string;

  constructor(metadata: DispatchMetadata) {
    const apiUrl = metadata.api_url.replace(/\/+$/, "");
    this.#baseUrl = `${apiUrl}/v1/runtime/sessions/${encodeURIComponent(metadata.avatar_session_id)}`;
    this.#apiOrigin = new URL(apiUrl).origin;
    this.#token = metadata.runtime_token;
  }

  /** The current token; each heartbeat renews it. */
  get token(): string {
    return this.#token;
  }

  /** Uses this token from now on. */
  renew(token: string): void {
    this.#token = token;
  }

  /** Throws RuntimeApiError, or the network's error after the last attempt (about 6 s). */
  async fetchJob(): Promise<JobDescription> {
    return jobDescriptionSchema.parse(await this.#persistently(() => this.#call("GET", "/job")));
  }

  /** Downloads a URL of the job description, at most 64 MiB. Throws like `fetchJob`. */
  async download(url: string): Promise<Uint8Array> {
    return this.#persistently(async () => {
      // The token is sent to the api only, never to other hosts that a job description names.
      const authorization = new URL(url).origin === this.#apiOrigin ? this.#authorization() : undefined;
      const answer = await fetch(url, { headers: authorization, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      if (!answer.ok) throw new RuntimeApiError(answer.status, new URL(url).pathname);
      return readBounded(answer, DOWNLOAD_LIMIT_BYTES);
    });
  }

  /** Throws like `fetchJob`. */
  async reportEvent(event: SessionEvent): Promise<void> {
    await this.#persistently(() => this.#call("POST", "/events", event));
  }

  /** Reports messages of a conversation. One attempt. Throws RuntimeApiError or the network's error. */
  async reportMessages(report: MessageReport): Promise<void> {
    await this.#call("POST", "/messages", report);
  }

  /** Reports that a worker holds the session's job. One attempt, at most 2 s. Throws RuntimeApiError or the network's
   *  error. */
  async reportAcceptance(): Promise<void> {
    await this.#call("POST", "/events", { event: "accepted" }, ACCEPTANCE_TIMEOUT_MS);
  }

  /** One attempt. A new token in the answer is used from then on. Throws RuntimeApiError or the network's error. */
  async sendHeartbeat(heartbeat: HeartbeatReport): Promise<HeartbeatAnswer> {
    const answer = heartbeatAnswerSchema.parse(await this.#call("POST", "/beat", heartbeat));
    if (answer.token) this.#token = answer.token;
    return answer;
  }

  /** Whether an error is the api's refusal to go on with the session. */
  isRefusal(error: unknown): boolean {
    return error instanceof RuntimeApiError && error.isRefusal;
  }

  /** Passages of the agent's knowledge bases that answer a question, best first. Returns at most `limit` (1 to 10,
   *  default 4), and none for a question without words. One attempt, at most 2 s, or until `signal` fires. Throws
   *  RuntimeApiError or the network's error. */
  async searchKnowledge(
    question: string,
    { limit, signal }: { limit?: number; signal?: AbortSignal } = {},
  ): Promise<KnowledgePassage[]> {
    const query = question.trim().slice(0, KNOWLEDGE_MAX_CHARACTERS);
    if (query === "") return [];
    const answer = await this.#call("POST", "/knowledge", { query, limit }, KNOWLEDGE_TIMEOUT_MS, signal);
    return knowledgeAnswerSchema.parse(answer).results;
  }

  async #call(
    method: "GET" | "POST",
    path: string,
    body?: unknown,
    timeoutMs = REQUEST_TIMEOUT_MS,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(this.#baseUrl + path, {
      method,
      headers: { ...this.#authorization(), ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await answer.text();
    if (!answer.ok) throw new RuntimeApiError(answer.status, path);
    return text === "" ? undefined : JSON.parse(text);
  }

  #authorization(): { authorization: string } {
    return { authorization: `Bearer ${this.#token}` };
  }

  #persistently<T>(call: () => Promise<T>): Promise<T> {
    return retry(call, {
      attempts: 6,
      firstDelayMs: 200,
      maxDelayMs: 3_000,
      isWorthRepeating: (error) =>
        !(error instanceof RuntimeApiError) || error.status >= 500 || error.status === 429 || error.status === 408,
    });
  }
}

async function readBounded(answer: Response, limitBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  // The type of a web stream lacks the async iteration that Node gives it.
  const body = answer.body as AsyncIterable<Uint8Array> | null;
  for await (const piece of body ?? []) {
    sizeBytes += piece.length;
    if (sizeBytes > limitBytes) throw new RangeError(`a download is larger than ${limitBytes} bytes`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
