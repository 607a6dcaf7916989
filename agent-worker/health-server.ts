// The worker's HTTP server on loopback: liveness, readiness and metrics.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import type { Logger } from "../shared/log.ts";
import type { PlayoutFigures } from "./playout/playout-figures.ts";

export interface WorkerStatus {
  /** True once the worker is registered with LiveKit. */
  isReady: boolean;
  activeSessions: number;
  maxSessions: number;
}

export interface HealthServerOptions {
  /** 0 chooses a free port. */
  port: number;
  status(): WorkerStatus;
  metrics: Registry;
  /** Receives the playout reports of this worker's sessions. */
  playout: PlayoutFigures;
  logger: Logger;
}

/** A report is a few hundred bytes. */
const BODY_LIMIT_BYTES = 4096;

/** Serves `/health`, `/ready` and `/metrics` from `start()` to `close()`. */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => this.#fail(error, response));
    });
  }

  /** Resolves with the port. Rejects if the port is in use. */
  start(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#options.port, "127.0.0.1", () => {
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "/";
    const { status, metrics, playout } = this.#options;
    if (url === playout.path && request.method === "POST") {
      const isTaken = playout.take(await readText(request, BODY_LIMIT_BYTES));
      return sendJson(response, isTaken ? 200 : 400, { ok: isTaken });
    }
    const { isReady, activeSessions, maxSessions } = status();
    const sessions = { active_sessions: activeSessions, max_sessions: maxSessions };
    switch (url.split("?")[0]) {
      case "/health":
        return sendJson(response, 200, { status: "healthy", ...sessions });
      case "/ready": {
        const state = !isReady ? "not_ready" : activeSessions >= maxSessions ? "at_capacity" : "ready";
        const available = isReady ? Math.max(0, maxSessions - activeSessions) : 0;
        const body = { status: state, model_ready: isReady, ...sessions, available_sessions: available };
        return sendJson(response, state === "ready" ? 200 : 503, body);
      }
      case "/metrics":
        response.setHeader("content-type", metrics.contentType);
        response.end(await metrics.metrics());
        return;
      default:
        return sendJson(response, 404, { error: "not found" });
    }
  }

  /** An aborted request or a metric that fails must not end the worker, because every session would end with it. */
  #fail(error: unknown, response: ServerResponse): void {
    this.#options.logger.debug({ err: error }, "loopback request failed");
    response.destroy();
  }
}

/** Reads the body as text, truncated at the limit; a truncated body does not parse. Rejects if the request is
 *  aborted. */
async function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) if (text.length <= limitBytes) text += piece;
  return text.slice(0, limitBytes);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
