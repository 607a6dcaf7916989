// The worker's HTTP server: liveness, readiness and metrics, and the launch endpoints of a self-hosted worker.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import type { Logger } from "../../program/log.ts";
import { isLoopback } from "../../program/outgoing/loopback.ts";

export interface WorkerStatus {
  /** True once jobs can come: the worker is registered with LiveKit, or has reached its service. */
  isReady: boolean;
  /** Why it is not ready, if that is known. */
  problem?: string;
  activeSessions: number;
  maxSessions: number;
  /** Sessions that it can take now. Default: what is left of `maxSessions`. */
  availableSessions?: number;
}

/** The port is in use, or may not be used. The message is one sentence for the operator. */
class PortTakenError extends Error {
  constructor({ host, port, cause }: { host: string; port: number; cause: NodeJS.ErrnoException }) {
    const why = cause.code === "EADDRINUSE" ? "is in use, perhaps by another worker" : `cannot be used (${cause.code})`;
    super(`Port ${port} of ${host} ${why}: name another one with --port (AVATAR_WORKER_PORT), or 0 for a free one.`, {
      cause,
    });
    this.name = "PortTakenError";
  }
}

export interface HealthServerOptions {
  /** Default: loopback. */
  host?: string;
  /** 0 chooses a free port. */
  port: number;
  /** Answers requests for other paths; returns false for those that it does not know. Default: knows none. */
  routes?: { answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> };
  status(): WorkerStatus;
  /** Default 10,000. */
  headersTimeoutMs?: number;
  metrics: Registry;
  logger: Logger;
}

/** A connection that sends the headers of a request, or a whole request, more slowly is closed. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;

/** Serves `/health`, `/ready` and `/metrics` from `start()` to `close()`. */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    const timeouts = {
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    };
    this.#server = createServer(timeouts, (request, response) => {
      this.#answer(request, response).catch((error) => this.#fail(error, response));
    });
  }

  /** Resolves with the port. Rejects with PortTakenError if it cannot listen there. */
  start(): Promise<number> {
    return new Promise((resolve, reject) => {
      const { port, host = "127.0.0.1" } = this.#options;
      this.#server.once("error", (cause) => reject(new PortTakenError({ host, port, cause })));
      this.#server.listen(port, host, () => {
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
    const { status, metrics, routes } = this.#options;
    const { isReady, problem, activeSessions, maxSessions, availableSessions } = status();
    const sessions = { active_sessions: activeSessions, max_sessions: maxSessions };
    switch (url.split("?")[0]) {
      case "/health":
        return sendJson(response, 200, { status: "healthy", ...sessions });
      case "/ready": {
        const available = isReady ? Math.max(0, availableSessions ?? maxSessions - activeSessions) : 0;
        const state = !isReady ? "not_ready" : available === 0 ? "at_capacity" : "ready";
        const reason = problem === undefined ? {} : { reason: problem };
        const body = { status: state, model_ready: isReady, ...sessions, available_sessions: available, ...reason };
        return sendJson(response, state === "ready" ? 200 : 503, body);
      }
      case "/metrics":
        // Behind a proxy every peer is this machine, so a request with a forwarded address is refused too.
        if (!isLoopback(request.socket.remoteAddress ?? "") || request.headers["x-forwarded-for"] !== undefined) {
          return sendJson(response, 404, { error: "not found" });
        }
        response.setHeader("content-type", metrics.contentType);
        response.end(await metrics.metrics());
        return;
      default:
        if (await routes?.answer(request, response)) return;
        return sendJson(response, 404, { error: "not found" });
    }
  }

  /** An aborted request or a metric that fails must not end the worker, because every session would end with it. */
  #fail(error: unknown, response: ServerResponse): void {
    this.#options.logger.debug({ err: error }, "loopback request failed");
    response.destroy();
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
