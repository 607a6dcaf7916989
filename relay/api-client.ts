// A relay's requests to the api: open a call, report all calls, hang one up.
import { HttpRefusal, JsonClient } from "../program/http/json-client.ts";
import { ServiceError } from "../shared/errors.ts";
import {
  type Hangup,
  type OpenCall,
  type OpenedCall,
  openedCallSchema,
  type RelayReport,
  type RelayReportAnswer,
  relayReportAnswerSchema,
} from "../shared/realtime-api.ts";
import { type LiveKitKey, mintRelayToken } from "../shared/worker-token.ts";

/** `Retry-After` while the api is away: it restarts in about this time. */
const AWAY_RETRY_AFTER_SECONDS = 3;

export interface ApiClientOptions {
  /** Base URL of the api, without a trailing slash. */
  apiUrl: string;
  livekit: LiveKitKey;
  /** Time for an answer as a whole, in ms. Default 10,000. */
  timeoutMs?: number;
}

export class ApiClient {
  readonly #livekit: LiveKitKey;
  readonly #client: JsonClient;

  constructor({ apiUrl, livekit, timeoutMs }: ApiClientOptions) {
    this.#livekit = livekit;
    this.#client = new JsonClient({ baseUrl: `${apiUrl}/v1/runtime/realtime`, timeoutMs });
  }

  /** Throws HttpRefusal for the caller, and SERVICE_UNAVAILABLE if the api is away. */
  async openCall(call: OpenCall): Promise<OpenedCall> {
    return openedCallSchema.parse(await this.#post("/calls", call).catch(toCallersError));
  }

  /** As `openCall`. */
  async hangUp(hangup: Hangup): Promise<void> {
    await this.#post("/hangups", hangup).catch(toCallersError);
  }

  /** Throws an Error if the api did not take the report. */
  async report(report: RelayReport): Promise<RelayReportAnswer> {
    return relayReportAnswerSchema.parse(await this.#post("/reports", report));
  }

  async #post(path: string, body: object): Promise<unknown> {
    const authorization = `Bearer ${await mintRelayToken(this.#livekit)}`;
    return this.#client.post(path, body, { headers: { authorization } });
  }
}

/** Throws a refusal as it is, and SERVICE_UNAVAILABLE for anything else: without an envelope it is a proxy's answer. */
function toCallersError(cause: unknown): never {
  const isRefusal = cause instanceof HttpRefusal && (cause.status < 500 || cause.status === 503);
  if (isRefusal && hasEnvelope(cause.text)) throw cause;
  throw new ServiceError("SERVICE_UNAVAILABLE", "The service is starting again. Try again in a moment.", {
    retryAfterSeconds: AWAY_RETRY_AFTER_SECONDS,
    cause,
  });
}

function hasEnvelope(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && "error" in json;
  } catch {
    return false;
  }
}
