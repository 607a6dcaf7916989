// Periodic background work: rounds never overlap, and `close()` waits for a running one.
import type { Logger } from "../../program/log.ts";
import type { BackgroundService } from "./module.ts";

export interface BackgroundLoopOptions {
  /** Name for the log line of a failed round. */
  name: string;
  /** Pause between the end of one round and the start of the next, in ms. */
  intervalMs: number;
  /** A round that throws is logged; the next one is run as usual. */
  work(): Promise<void>;
  logger: Logger;
}

/** A loop with its first round one interval after `start()`. `close()` waits for a running round. */
export class BackgroundLoop implements BackgroundService {
  readonly #options: BackgroundLoopOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(options: BackgroundLoopOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
  }

  #schedule(): void {
    const { name, intervalMs, work, logger } = this.#options;
    this.#timer = setTimeout(() => {
      this.#round = work()
        .catch((error: unknown) => logger.error({ err: error, loop: name }, "background work failed"))
        .finally(() => {
          if (this.#isRunning) this.#schedule();
        });
    }, intervalMs);
  }
}
