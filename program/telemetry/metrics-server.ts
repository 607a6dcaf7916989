// A listener of its own for `/metrics`, so that a monitoring server on another machine can read them. The public
// address of the service never leads here: metrics tell how many accounts, sessions and credits it has. Who may reach
// the listener is decided where networks are. A token would be one more secret, in plain text in a scrape
// configuration. A list of addresses fails with containers, and a proxy's missing header would open the metrics.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config.ts";
import type { Logger } from "../log.ts";

/** A registry of prom-client. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface MetricsServerOptions {
  metrics: MetricsSource;
  host: string;
  /** 0 chooses a free port. */
  port: number;
  logger: Logger;
}

/** Serves `GET /metrics` from `start()` to `close()`; every other request gets 404. */
export class MetricsServer {
  readonly #options: MetricsServerOptions;
  readonly #server: Server;

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#server = createServer(async ({ method, url = "" }, response) => {
      if (method !== "GET" || url.split("?")[0] !== "/metrics") {
        response.writeHead(404).end();
        return;
      }
      try {
        const text = await options.metrics.metrics();
        response.writeHead(200, { "content-type": options.metrics.contentType }).end(text);
      } catch (error) {
        options.logger.warn({ err: error }, "metrics not read");
        response.writeHead(500).end();
      }
    });
  }

  /** Resolves with the port. Rejects if the address cannot be listened on. */
  start(): Promise<number> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        // A scrape in progress must not keep the process running.
        this.#server.unref();
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The server that the settings name, started; null if none is set. Rejects if its address cannot be listened on. */
export async function startMetricsServer(
  { host, port }: Config["metrics"],
  metrics: MetricsSource,
  logger: Logger,
): Promise<MetricsServer | null> {
  if (port === undefined) return null;
  const server = new MetricsServer({ metrics, host, port, logger });
  logger.info({ host, port: await server.start() }, "metrics served");
  return server;
}
