// The worker's loopback HTTP server: is it alive, can it take a session, what does it measure.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

export interface WorkerStatus {
  /** True once LiveKit knows the worker. */
  isReady: boolean;
  activeSessions: number;
  maxSessions: number;
}

export interface HealthServerOptions {
  /** 0 takes any free port. */
  port: number;
  status(): WorkerStatus;
  metrics: Registry;
}

/** Serves `/health`, `/ready` and `/metrics` from `start()` to `close()`. */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request.url ?? "/", response));
  }

  /** Resolves with the port. Rejects if it is taken. */
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

  async #answer(url: string, response: ServerResponse): Promise<void> {
    const { status, metrics } = this.#options;
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
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
