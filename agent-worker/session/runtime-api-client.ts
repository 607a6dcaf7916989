// Client of the runtime API: fetches the job, and reports the state and the served seconds of a session.
import { HttpRefusal, JsonClient, type JsonRequest } from "../../program/http/json-client.ts";
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

/** Of calls that a session cannot do without. */
const ATTEMPTS = 6;
/** Timeout of an acceptance, ms; LiveKit waits for the worker's answer during this time. */
const ACCEPTANCE_TIMEOUT_MS = 2_000;
/** Timeout of a knowledge query, ms. A user waits during this time, and an answer without passages is better than a
 *  late one. */
const KNOWLEDGE_TIMEOUT_MS = 2_000;
/** Longer questions are truncated, characters. */
const KNOWLEDGE_MAX_CHARACTERS = 2_000;
/** Avatars are 1 to 3 MB, portraits at most 20. */
const DOWNLOAD_LIMIT_BYTES = 64 * 1024 * 1024;

/** True if the api refuses to go on with the session: it is out of credit, revoked, unknown or given to another worker.
 *  It must end then. */
export function refusesSession(error: unknown): error is HttpRefusal {
  return error instanceof HttpRefusal && [401, 402, 403, 404, 409, 410].includes(error.status);
}

/** Client of one avatar session. Calls are retried while the api cannot be reached, except heartbeats, because the next
 *  one follows soon. */
export class RuntimeApiClient {
  readonly #client: JsonClient;
  readonly #apiOrigin: string;
  #token: string;

  constructor(metadata: DispatchMetadata) {
    const apiUrl = metadata.api_url.replace(/\/+$/, "");
    const id = encodeURIComponent(metadata.avatar_session_id);
    this.#client = new JsonClient({ baseUrl: `${apiUrl}/v1/runtime/sessions/${id}` });
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

  /** Throws HttpRefusal, or the network's error after the last attempt (about 6 s). */
  async fetchJob(): Promise<JobDescription> {
    return jobDescriptionSchema.parse(
      await this.#client.get("/job", { headers: this.#authorization, attempts: ATTEMPTS }),
    );
  }

  /** Downloads a URL of the job description, at most 64 MiB. Throws like `fetchJob`. */
  download(url: string): Promise<Uint8Array> {
    // The token is sent to the api only, never to other hosts that a job description names.
    const headers = new URL(url).origin === this.#apiOrigin ? this.#authorization : undefined;
    return this.#client.download(url, DOWNLOAD_LIMIT_BYTES, { headers, attempts: ATTEMPTS });
  }

  /** Throws like `fetchJob`. */
  async reportEvent(event: SessionEvent): Promise<void> {
    await this.#post("/events", event, { attempts: ATTEMPTS });
  }

  /** Reports messages of a conversation. One attempt. Throws HttpRefusal or the network's error. */
  async reportMessages(report: MessageReport): Promise<void> {
    await this.#post("/messages", report);
  }

  /** Reports that a worker holds the session's job. One attempt, at most 2 s. Throws HttpRefusal or the network's
   *  error. */
  async reportAcceptance(): Promise<void> {
    await this.#post("/events", { event: "accepted" }, { timeoutMs: ACCEPTANCE_TIMEOUT_MS });
  }

  /** One attempt. A new token in the answer is used from then on. Throws HttpRefusal or the network's error. */
  async sendHeartbeat(heartbeat: HeartbeatReport): Promise<HeartbeatAnswer> {
    const answer = heartbeatAnswerSchema.parse(await this.#post("/beat", heartbeat));
    if (answer.token) this.#token = answer.token;
    return answer;
  }

  /** Whether an error is the api's refusal to go on with the session. */
  isRefusal(error: unknown): boolean {
    return refusesSession(error);
  }

  /** Passages of the agent's knowledge bases that answer a question, best first. Returns at most `limit` (1 to 10,
   *  default 4), and none for a question without words. One attempt, at most 2 s, or until `signal` fires. Throws
   *  HttpRefusal or the network's error. */
  async searchKnowledge(
    question: string,
    { limit, signal }: { limit?: number; signal?: AbortSignal } = {},
  ): Promise<KnowledgePassage[]> {
    const query = question.trim().slice(0, KNOWLEDGE_MAX_CHARACTERS);
    if (query === "") return [];
    const answer = await this.#post("/knowledge", { query, limit }, { timeoutMs: KNOWLEDGE_TIMEOUT_MS, signal });
    return knowledgeAnswerSchema.parse(answer).results;
  }

  #post(path: string, body: object, request?: JsonRequest): Promise<unknown> {
    return this.#client.post(path, body, { ...request, headers: this.#authorization });
  }

  get #authorization(): { authorization: string } {
    return { authorization: `Bearer ${this.#token}` };
  }
}
