// Periodic background work: rounds never overlap, and `close()` waits for a running one.
import type { Logger } from "../../shared/log.ts";
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
export function createBackgroundLoop({ name, intervalMs, work, logger }: BackgroundLoopOptions): BackgroundService {
  let timer: NodeJS.Timeout | null = null;
  let round: Promise<void> = Promise.resolve();
  let isRunning = false;

  function schedule(): void {
    timer = setTimeout(() => {
      round = work()
        .catch((error: unknown) => logger.error({ err: error, loop: name }, "background work failed"))
        .finally(() => {
          if (isRunning) schedule();
        });
    }, intervalMs);
  }

  return {
    async start() {
      isRunning = true;
      schedule();
    },
    async close() {
      isRunning = false;
      if (timer !== null) clearTimeout(timer);
      await round;
    },
  };
}
