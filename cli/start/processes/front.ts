// The front of `npm start`: listens where clients connect and hands each connection to the api, unread. The api hands
// back those that open a realtime call, for the relay. The processes serve their connections by themselves, so requests
// and events cost nothing more, and a call goes on while the api restarts.
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer, type Server, Socket } from "node:net";
import {
  type HandedConnection,
  isHandedConnection,
  isServing,
  takeBytes,
} from "../../../program/child-process/handed-connections.ts";
import { toErrorAnswer } from "../../../program/http/error-answer.ts";
import { ServiceError } from "../../../shared/errors.ts";

/** A process that serves connections, as `ServiceProcess` does. */
export interface ConnectionTaker {
  /** Returns false if it cannot take the connection. */
  hand(message: object, socket: Socket): boolean;
}

/** Programs that the front hands connections to. */
export type FrontPart = "api" | "relay";

/** `Retry-After` while a part starts again, in seconds. */
const RETRY_AFTER_SECONDS = 2;
/** The pages and their styles are the api's, so this one stands by itself. */
const STARTING_PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Starting</title>
  <style>:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif } main { margin: 20vh auto; padding: 20px; max-width: 30rem }</style>
  <main><h1>The service is starting</h1><p role="status">This page tries again by itself, every few seconds.</p></main>
</html>
`;
/** A client gets this long to send the request that is answered with 503. */
const REFUSAL_MS = 5_000;

export class Front {
  readonly #server: Server;
  /** Answers clients while a part starts again. */
  readonly #unavailable: HttpServer;
  readonly #takers: Record<FrontPart, ConnectionTaker | null> = { api: null, relay: null };

  constructor() {
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      socket.on("error", () => socket.destroy());
      this.#hand("api", socket, "");
    });
    this.#unavailable = createHttpServer((request, response) => {
      request.resume();
      const { status, headers, body } = unavailable();
      // A person who opens a page waits for it; programs read when to try again.
      const isPage = /^text\/html\b/.test(request.headers.accept ?? "");
      const text = isPage ? STARTING_PAGE : JSON.stringify(body);
      const more = {
        "Content-Type": isPage ? "text/html; charset=utf-8" : "application/json",
        ...(isPage && { Refresh: String(RETRY_AFTER_SECONDS) }),
        "Content-Length": Buffer.byteLength(text),
        Connection: "close",
      };
      response.writeHead(status, { ...headers, ...more }).end(text);
    });
  }

  /** Listens. Throws the error of the system if it cannot. */
  start(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  /** The messages of a part: it says when it takes connections, and the api hands some back. */
  noteMessage(part: FrontPart, taker: ConnectionTaker, message: unknown, handle: unknown): void {
    if (isServing(message)) this.#takers[part] = taker;
    if (isHandedConnection(message) && handle instanceof Socket) {
      handle.pause();
      handle.on("error", () => handle.destroy());
      this.#hand("relay", handle, message.bytes);
    }
  }

  /** A part has ended, and takes no connections until it serves again. */
  noteExit(part: FrontPart): void {
    this.#takers[part] = null;
  }

  /** Takes no more connections. Idempotent. Those that were handed over are not waited for. */
  async close(): Promise<void> {
    this.#server.close();
    this.#unavailable.closeAllConnections();
  }

  #hand(part: FrontPart, socket: Socket, bytes: string): void {
    const message: HandedConnection = { kind: "connection", bytes };
    if (this.#takers[part]?.hand(message, socket)) return;
    socket.setTimeout(REFUSAL_MS, () => socket.destroy());
    takeBytes(this.#unavailable, socket, Buffer.from(bytes, "base64"));
    socket.resume();
  }
}

function unavailable(): ReturnType<typeof toErrorAnswer> {
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return toErrorAnswer(new ServiceError("SERVICE_UNAVAILABLE", "The service is starting. Try again.", options));
}
