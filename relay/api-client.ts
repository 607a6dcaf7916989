// A relay's requests to the api: open a call, report all calls, hang one up.
import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
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
import { RefusedByApi } from "./request-error.ts";

const REQUEST_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** `Retry-After` while the api is away: it restarts in about this time. */
const AWAY_RETRY_AFTER_SECONDS = 3;
/** Headers of a refusal that its caller gets. */
const PASSED_HEADERS = ["retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] as const;

export interface ApiClientOptions {
  /** Base URL of the api, without a trailing slash. */
  apiUrl: string;
  livekit: LiveKitKey;
  /** Time for an answer as a whole, in ms. Default 10,000. */
  timeoutMs?: number;
}

interface ApiAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #agent: HttpAgent;
  readonly #request: typeof requestHttp;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    const isSecure = options.apiUrl.startsWith("https:");
    this.#agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true });
    this.#request = isSecure ? requestHttps : requestHttp;
  }

  /** Throws RefusedByApi for the caller, and SERVICE_UNAVAILABLE if the api is away. */
  async openCall(call: OpenCall): Promise<OpenedCall> {
    return openedCallSchema.parse(await this.#ask("calls", call));
  }

  /** As `openCall`. */
  async hangUp(hangup: Hangup): Promise<void> {
    await this.#ask("hangups", hangup);
  }

  /** Throws an Error if the api did not take the report. */
  async report(report: RelayReport): Promise<RelayReportAnswer> {
    const answer = await this.#post("reports", report);
    if (answer.status !== 200) throw new Error(`the api answered ${answer.status}`);
    return relayReportAnswerSchema.parse(JSON.parse(answer.text));
  }

  /** Drops idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #ask(path: string, body: object): Promise<unknown> {
    const answer = await this.#post(path, body).catch((cause: unknown) => {
      throw away(cause);
    });
    const json = parseJson(answer.text);
    if (answer.status === 200) return json;
    // Without an envelope it is a proxy's answer.
    const isRefusal = answer.status < 500 || answer.status === 503;
    if (!isRefusal || typeof json !== "object" || json === null || !("error" in json)) {
      throw away(new Error(`the api answered ${answer.status}`));
    }
    const headers = Object.fromEntries(
      PASSED_HEADERS.flatMap((name) =>
        typeof answer.headers[name] === "string" ? [[name, answer.headers[name]]] : [],
      ),
    );
    throw new RefusedByApi({ status: answer.status, headers, text: answer.text });
  }

  async #post(path: string, body: object): Promise<ApiAnswer> {
    const { apiUrl, livekit, timeoutMs = REQUEST_MS } = this.#options;
    const text = JSON.stringify(body);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      authorization: `Bearer ${await mintRelayToken(livekit)}`,
    };
    return new Promise((resolve, reject) => {
      const options = { method: "POST", agent: this.#agent, headers, signal: AbortSignal.timeout(timeoutMs) };
      const request = this.#request(`${apiUrl}/v1/runtime/realtime/${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) request.destroy(new Error("the api's answer is too long"));
        });
        response.once("error", reject);
        response.once("end", () => {
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, headers: answered, text: Buffer.concat(chunks).toString() });
        });
      });
      request.once("error", reject);
      request.end(text);
    });
  }
}

function away(cause: unknown): ServiceError {
  return new ServiceError("SERVICE_UNAVAILABLE", "The service is starting again. Try again in a moment.", {
    retryAfterSeconds: AWAY_RETRY_AFTER_SECONDS,
    cause,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
