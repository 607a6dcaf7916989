// The ears of this host over HTTP, in the protocol of OpenAI's `/audio/transcriptions`: sessions use the same client
// for them as for a server that the operator chose.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../../shared/log.ts";
import { HEARING_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { type EngineErrorCode, isEngineError } from "../../src/engine-error.ts";
import type { Ears } from "../../src/recognition/ears.ts";
import { readTranscriptionForm } from "./transcription-form.ts";

export interface TranscriptionServerOptions {
  ears: Pick<Ears, "hear">;
  logger: Logger;
}

/** Where the server is, for `TranscriptionClient`. */
export interface TranscriptionAccess {
  baseUrl: string;
  apiKey: string;
}

/** Names who speaks: owners take turns. */
export const OWNER_HEADER = "x-service-session";
const PATH = "/v1/audio/transcriptions";
const STATUSES: Partial<Record<EngineErrorCode, number>> = {
  "invalid-input": 400,
  "unsupported-media": 400,
  "too-large": 413,
  unavailable: 503,
};
const RETRY_AFTER_S = 1;

/** Listens on loopback. Other users of the machine do not have the key, which is new in every run. */
export class TranscriptionServer {
  readonly #options: TranscriptionServerOptions;
  readonly #key = randomBytes(32).toString("base64url");
  readonly #server: Server;

  constructor(options: TranscriptionServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => this.#refuse(error, request, response));
    });
  }

  /** Starts on a free port. */
  async start(): Promise<TranscriptionAccess> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    const { port } = this.#server.address() as AddressInfo;
    return { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: this.#key };
  }

  /** Breaks off all answers. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== PATH || request.method !== "POST") return sendError(response, 404, "There is nothing here.");
    if (!this.#knows(request.headers.authorization)) return sendError(response, 401, "The key is wrong.");
    const leaving = new AbortController();
    response.on("close", () => leaving.abort(new Error("the client went away")));
    const { samples, language, format } = await readTranscriptionForm(request);
    const owner = String(request.headers[OWNER_HEADER] ?? "");
    const heard = await this.#options.ears.hear(samples, { language, owner, signal: leaving.signal });
    if (format === "text") return send(response, 200, "text/plain; charset=utf-8", `${heard.text}\n`);
    const duration = samples.length / HEARING_SAMPLE_RATE_HZ;
    // The protocol has the mean for each segment of the longer form; ours has one.
    const { text, language: spoken, meanLogProbability } = heard;
    const body =
      format === "json"
        ? { text, language: spoken, avg_logprob: meanLogProbability }
        : { ...heard, task: "transcribe", duration };
    send(response, 200, "application/json", JSON.stringify(body));
  }

  #knows(authorization = ""): boolean {
    const given = Buffer.from(authorization);
    const expected = Buffer.from(`Bearer ${this.#key}`);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (response.destroyed || response.headersSent) return;
    const status = (isEngineError(error) && STATUSES[error.code]) || 500;
    if (status === 500) this.#options.logger.warn({ err: error }, "utterance not heard");
    request.resume();
    sendError(response, status, isEngineError(error) ? error.message : "The utterance could not be heard.");
  }
}

function sendError(response: ServerResponse, status: number, message: string): void {
  if (status === 503) response.setHeader("retry-after", String(RETRY_AFTER_S));
  const type = status < 500 ? "invalid_request_error" : "server_error";
  send(response, status, "application/json", JSON.stringify({ error: { message, type } }));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}
