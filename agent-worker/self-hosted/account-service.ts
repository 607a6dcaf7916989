// Client of the service that accounts belong to: exchanges credentials, meters sessions, and fetches faces. It runs
// elsewhere, so every call has a deadline, and errors say whether it refused or could not be reached.
import { z } from "zod";
import { HttpRefusal, JsonClient } from "../../program/http/json-client.ts";
import { ERROR_CODES, type ErrorCode, ServiceError } from "../../shared/errors.ts";
import {
  type HeartbeatAnswer,
  heartbeatAnswerSchema,
  type JobDescription,
  jobDescriptionSchema,
  sha256Schema,
} from "../../shared/runtime-api.ts";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import type { Credential } from "./credential.ts";

const DOWNLOAD_TIMEOUT_MS = 60_000;
/** Model files are 1 to 3 MB, portraits at most 20. */
const DOWNLOAD_LIMIT_BYTES = 64 * 1024 * 1024;
const AWAY_RETRY_AFTER_SECONDS = 5;

/** Codes for answers without one of ours. */
const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHORIZED",
  402: "INSUFFICIENT_BALANCE",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  410: "NOT_FOUND",
  422: "UNPROCESSABLE",
  429: "RATE_LIMITED",
};

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const exchangeSchema = z.object({ data: z.object({ token: z.string() }) });
const begunSchema = z.object({
  session_id: z.string(),
  model: z.string(),
  beat_interval_s: z.number().positive(),
  grace_s: z.number().positive(),
});
const stoppedSchema = z.object({ billed_seconds: z.number(), credits: z.number() });
const modelSchema = z.object({ data: z.object({ url: z.url(), model: z.string(), sha256: sha256Schema.nullish() }) });

/** The service cannot be reached, or is not able to answer now. */
export class ServiceAwayError extends ServiceError {
  constructor(cause: unknown) {
    super("SERVICE_UNAVAILABLE", "The service of AVATAR_API_URL cannot be reached now. Try again later.", {
      retryAfterSeconds: AWAY_RETRY_AFTER_SECONDS,
      cause,
    });
    this.name = "ServiceAwayError";
  }
}

/** What a runtime token is for. */
export interface ExchangeRequest {
  agentCode: string | null;
  roomName: string | null;
  livekitUrl: string | null;
  /** 32 characters that name this installation. */
  fingerprint: string;
}

export interface BeginRequest {
  agentCode: string | null;
  /** Null: chosen by the service. */
  model: string | null;
  /** Whether the face is an image, not the agent's. */
  hasImage: boolean;
  host: string;
  installId: string;
}

export interface BegunSession {
  id: string;
  /** The model that is billed. */
  model: string;
  heartbeatIntervalMs: number;
  /** How long the session goes on without an answer. */
  graceMs: number;
}

export interface AccountServiceOptions {
  /** Base URL without a trailing slash. */
  apiUrl: string;
}

/** Methods throw ServiceError with the service's own code and message if it refuses, and ServiceAwayError if it does
 *  not answer or has failed. No error contains a credential. */
export class AccountService {
  readonly #apiUrl: string;
  readonly #client: JsonClient;
  /** What the service's clock said, and when that was, ms of `performance.now`. */
  #clock: { serviceMs: number; atMs: number } | undefined;

  constructor({ apiUrl }: AccountServiceOptions) {
    this.#apiUrl = apiUrl;
    this.#client = new JsonClient({ baseUrl: apiUrl, onAnswer: (headers) => this.#noteTime(headers) });
  }

  /** The service's time, ms since the epoch: this machine's clock may be wrong. Its own until the first answer. */
  nowMs(): number {
    return this.#clock ? this.#clock.serviceMs + performance.now() - this.#clock.atMs : Date.now();
  }

  /** A runtime token. */
  async exchange(credential: Credential, request: ExchangeRequest): Promise<string> {
    const { agentCode, roomName, livekitUrl, fingerprint } = request;
    const body = {
      agent_code: agentCode,
      room_name: roomName,
      fingerprint,
      ...(credential.kind === "launch-token" && { livekit_url: livekitUrl }),
    };
    const headers = { [HEADER_API_SECRET]: credential.value };
    return exchangeSchema.parse(await this.#post("/v1/runtime-tokens/request", headers, body)).data.token;
  }

  /** Resolves if the service answers. */
  async reach(): Promise<void> {
    await this.#get("/readyz");
  }

  async begin(token: string, { agentCode, model, hasImage, host, installId }: BeginRequest): Promise<BegunSession> {
    const body = { agent_code: agentCode, model, has_image: hasImage, host, install_id: installId };
    const begun = begunSchema.parse(await this.#post("/v1/runtime/sessions", bearer(token), body));
    return {
      id: begun.session_id,
      model: begun.model,
      heartbeatIntervalMs: begun.beat_interval_s * 1000,
      graceMs: begun.grace_s * 1000,
    };
  }

  /** What a session's agent looks and sounds like. The room and its token are not part of it. */
  async describe(token: string, sessionId: string): Promise<JobDescription> {
    return jobDescriptionSchema.parse(await this.#get(`${pathOf(sessionId)}/job`, bearer(token)));
  }

  /** The `.imx` or the portrait of a session's agent. */
  async fetchFile(token: string, sessionId: string, file: "model" | "portrait"): Promise<Uint8Array> {
    return this.#download(`${this.#apiUrl}${pathOf(sessionId)}/${file}`, bearer(token));
  }

  async sendHeartbeat(token: string, sessionId: string, seq: number, servedSeconds: number): Promise<HeartbeatAnswer> {
    const body = { seq, served_seconds: servedSeconds };
    return heartbeatAnswerSchema.parse(await this.#post(`${pathOf(sessionId)}/beat`, bearer(token), body));
  }

  /** Ends a session. Repeatable. */
  async stop(token: string, sessionId: string, servedSeconds: number): Promise<z.output<typeof stoppedSchema>> {
    const body = { served_seconds: servedSeconds };
    return stoppedSchema.parse(await this.#post(`${pathOf(sessionId)}/stop`, bearer(token), body));
  }

  /** Where the file of an agent's own model is, and its hash. For an account's secret. */
  async findModel(secret: string, agentCode: string): Promise<{ url: string; sha256: string | null }> {
    const path = `/v1/agent/${encodeURIComponent(agentCode)}/model/download?redirect=false`;
    const { data } = modelSchema.parse(await this.#get(path, { [HEADER_API_SECRET]: secret }));
    return { url: data.url, sha256: data.sha256 ?? null };
  }

  /** A file of a signed URL of the service, at most 64 MiB. */
  async download(url: string): Promise<Uint8Array> {
    return this.#download(url, {});
  }

  #get(path: string, headers?: Record<string, string>): Promise<unknown> {
    return answerOf(this.#client.get(path, { headers }));
  }

  #post(path: string, headers: Record<string, string>, body: object): Promise<unknown> {
    return answerOf(this.#client.post(path, body, { headers }));
  }

  #download(url: string, headers: Record<string, string>): Promise<Uint8Array> {
    const request = { headers, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    return answerOf(this.#client.download(url, DOWNLOAD_LIMIT_BYTES, request));
  }

  #noteTime(headers: Headers): void {
    const serviceMs = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(serviceMs)) this.#clock = { serviceMs, atMs: performance.now() };
  }
}

/** An answer, with errors for the callers of this worker. */
async function answerOf<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HttpRefusal) throw refusalOf(error);
    if (!(error instanceof RangeError)) throw new ServiceAwayError(error);
    throw new ServiceError("FILE_TOO_LARGE", `The avatar's file is larger than ${DOWNLOAD_LIMIT_BYTES / 1e6} MB`);
  }
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function pathOf(sessionId: string): string {
  return `/v1/runtime/sessions/${encodeURIComponent(sessionId)}`;
}

/** The service's own error; ServiceAwayError if it has failed itself. */
function refusalOf({ status, text }: HttpRefusal): ServiceError {
  const { code, message } = readError(text);
  const known = ERROR_CODES.find((name) => name === code);
  if (status >= 500 && (known === undefined || CODES_OF_FAILURE.includes(known))) {
    return new ServiceAwayError(new Error(`status ${status}: ${message}`));
  }
  // On the wire the contract has one code for all invalid input.
  const named =
    known === "VALIDATION_ERROR" || known === undefined ? (CODES_BY_STATUS[status] ?? "VALIDATION_ERROR") : known;
  return new ServiceError(named, message);
}

const CODES_OF_FAILURE: readonly ErrorCode[] = ["SERVICE_UNAVAILABLE", "INTERNAL_ERROR", "UPSTREAM_ERROR"];

function readError(text: string): { code: string | undefined; message: string } {
  try {
    return errorSchema.parse(JSON.parse(text)).error;
  } catch {
    return { code: undefined, message: "The service refused the request without a reason" };
  }
}
