// Requests of a client behind the balancer, one after another, while processes are killed.
import { setTimeout as delay } from "node:timers/promises";
import type { RequestMetrics } from "./fleet-metrics.ts";

export interface RequestLoadOptions {
  /** GET requests go to these in turn. */
  urls: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** Pause between two requests of a client, ms. Default 100. */
  pauseMs?: number;
  /** Clients at the same time. Default 2. */
  clients?: number;
}

const PAUSE_MS = 100;
const CLIENTS = 2;
const TIMEOUT_MS = 10_000;

/** Sends from its construction to `end()`. */
export class RequestLoad {
  readonly #failures: { startedMs: number; endedMs: number }[] = [];
  readonly #clients: Promise<void>[];
  #sent = 0;
  #isOver = false;

  constructor(options: RequestLoadOptions) {
    this.#clients = Array.from({ length: options.clients ?? CLIENTS }, () => this.#run(options));
  }

  /** Requests in flight when the process died, between these times of `performance.now()`, are counted
   *  apart. */
  async end(killedFromMs: number, killedUntilMs: number): Promise<RequestMetrics> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    const cut = this.#failures.filter(
      ({ startedMs, endedMs }) => startedMs <= killedUntilMs && endedMs >= killedFromMs,
    );
    return { sent: this.#sent, failed: this.#failures.length - cut.length, cut: cut.length };
  }

  async #run({ urls, headers, pauseMs = PAUSE_MS }: RequestLoadOptions): Promise<void> {
    while (!this.#isOver) {
      const url = urls[this.#sent++ % urls.length];
      const startedMs = performance.now();
      const isAnswered = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status < 500;
        },
        () => false,
      );
      if (!isAnswered) this.#failures.push({ startedMs, endedMs: performance.now() });
      await delay(pauseMs);
    }
  }
}
