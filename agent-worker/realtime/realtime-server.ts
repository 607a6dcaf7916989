// The worker's realtime server: WebSockets at /v1/realtime that speak OpenAI's realtime events with speech recognition,
// the language model and the voice of this machine. Relays connect to it with a worker's token.
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { toErrorAnswer } from "../../program/http/error-answer.ts";
import type { Logger } from "../../program/log.ts";
import { ServiceError } from "../../shared/errors.ts";
import { LastSession } from "../supervisor/last-session.ts";
import { CLOSE_TRY_AGAIN, type ConnectedSession, RealtimeConnection } from "./realtime-connection.ts";
import { parseSessionRequest, REALTIME_PROTOCOL, type SessionRequest } from "./session-request.ts";

export const REALTIME_PATH = "/v1/realtime";
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const RETRY_AFTER_S = 10;
/** Headers of a request must come within this, ms. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The longest instructions of an agent fit, as JSON in base64url. */
const MAX_HEADER_BYTES = 600_000;

/** Opens the session of a connection. */
export type OpenSession = (send: (event: unknown) => void, end: () => void) => ConnectedSession;

export interface RealtimeServerOptions {
  /** Address to listen on. */
  host: string;
  /** 0 chooses a free port. */
  port: number;
  /** Whether an Authorization header lets a relay in. */
  isAuthorized(header: string | undefined): Promise<boolean>;
  /** Whether another session can run beside this many. */
  hasCapacity(held: number): boolean;
  /** Most sessions of those that only write down what is said: they are free, and others are not. Default: no limit. */
  mostTranscriptions?: number;
  /** Loads what a session needs. May throw. */
  prepare(request: SessionRequest): Promise<OpenSession>;
  /** Called when the number of sessions has changed. */
  onChange?(): void;
  /** A client that does not answer a ping until the next one is gone, ms. Default 15,000. */
  pingMs?: number;
  logger: Logger;
}

/** Serves from `start()` to `close()`. */
export class RealtimeServer {
  readonly #options: RealtimeServerOptions;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    // Others hold a credential in a browser's request, which must not be repeated.
    handleProtocols: (protocols) => (protocols.has(REALTIME_PROTOCOL) ? REALTIME_PROTOCOL : false),
  });
  readonly #connections = new Set<RealtimeConnection>();
  /** Sessions that are being opened. */
  #opening = 0;
  /** Of all these, those that only write down what is said. */
  #transcriptions = 0;
  readonly #lastSession = new LastSession();
  #isDraining = false;

  constructor(options: RealtimeServerOptions) {
    this.#options = options;
    this.#server = createServer(
      { headersTimeout: HEADERS_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES },
      (_, response) => {
        response.writeHead(426, { connection: "close", upgrade: "websocket" }).end();
      },
    );
    this.#server.on("upgrade", (request, socket, head) => {
      // A client that leaves during the handshake.
      socket.on("error", () => undefined);
      this.#accept(request, socket, head).catch((error: unknown) => this.#refuse(socket, error));
    });
  }

  /** Sessions now, those included that are being opened. */
  get sessionCount(): number {
    return this.#connections.size + this.#opening;
  }

  /** Whether another session would be accepted. */
  get hasCapacity(): boolean {
    return !this.#isDraining && this.#options.hasCapacity(this.sessionCount);
  }

  /** Resolves with the port. Rejects if it is in use. */
  async start(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no more sessions. Resolves when the present ones have ended, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    this.#options.onChange?.();
    if (this.sessionCount === 0) return;
    await this.#lastSession.wait(limitMs);
  }

  /** Ends all sessions: their clients are told to try again. Idempotent. */
  async close(): Promise<void> {
    this.#isDraining = true;
    for (const connection of this.#connections) connection.close(CLOSE_TRY_AGAIN, "The worker stops. Try again.");
    if (this.sessionCount > 0) await this.#lastSession.wait();
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { isAuthorized, prepare, onChange } = this.#options;
    if (request.url?.split("?")[0] !== REALTIME_PATH) throw new ServiceError("NOT_FOUND", "There is nothing here");
    if (!(await isAuthorized(request.headers.authorization))) {
      throw new ServiceError("UNAUTHORIZED", "The token is not valid for this worker");
    }
    const parsed = parseSessionRequest(request);
    if ("refusal" in parsed) throw new ServiceError("VALIDATION_ERROR", parsed.refusal);
    const isTranscription = parsed.mode === "transcription";
    const { mostTranscriptions = Number.POSITIVE_INFINITY } = this.#options;
    if (!this.hasCapacity || (isTranscription && this.#transcriptions >= mostTranscriptions)) {
      const message = "This worker takes no more realtime sessions now. Try again later.";
      throw new ServiceError("SERVICE_UNAVAILABLE", message, { retryAfterSeconds: RETRY_AFTER_S });
    }
    this.#opening += 1;
    const free = this.#countTranscription(isTranscription);
    let isOpen = false;
    try {
      const open = await prepare(parsed);
      if (this.#isDraining || socket.destroyed) throw new ServiceError("SERVICE_UNAVAILABLE", "The worker stops");
      await new Promise<void>((resolve) => {
        socket.once("close", resolve);
        this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
          const connection = new RealtimeConnection({
            socket: webSocket,
            open,
            pingMs: this.#options.pingMs,
            onClosed: () => {
              free();
              this.#remove(connection);
            },
          });
          isOpen = true;
          this.#connections.add(connection);
          connection.start();
          resolve();
        });
      });
    } finally {
      if (!isOpen) free();
      this.#opening -= 1;
      this.#noteChange();
    }
    onChange?.();
  }

  /** Counts a session until the callback is called. */
  #countTranscription(isTranscription: boolean): () => void {
    if (!isTranscription) return () => undefined;
    this.#transcriptions += 1;
    return () => {
      this.#transcriptions -= 1;
    };
  }

  #remove(connection: RealtimeConnection): void {
    this.#connections.delete(connection);
    this.#noteChange();
  }

  #noteChange(): void {
    if (this.sessionCount === 0) this.#lastSession.hasEnded();
    this.#options.onChange?.();
  }

  #refuse(socket: Duplex, error: unknown): void {
    const { logger } = this.#options;
    const known = error instanceof ServiceError ? error : new ServiceError("INTERNAL_ERROR", "Internal error");
    if (known !== error) logger.error({ err: error }, "realtime session not opened");
    else logger.info({ code: known.code }, "realtime session refused");
    const { status, headers, body } = toErrorAnswer(known);
    const json = JSON.stringify(body);
    const lines = Object.entries({
      ...headers,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(json),
      Connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${json}`);
  }
}
