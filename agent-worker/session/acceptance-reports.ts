// Repeats the report that this process holds its session's job while the session starts. The api dispatches a session
// again when it hears nothing for 12 s. A slow start on a busy machine must not look like a dead process, and a dead
// process reports nothing.
import type { Logger } from "../../shared/log.ts";
import { type RuntimeApiClient, RuntimeApiError } from "./runtime-api-client.ts";

/** Three reports fit into the time after which the api considers the worker lost. */
const DEFAULT_INTERVAL_MS = 4_000;
/** A start takes 1 to 3 s, and up to 30 s at ten times the load that the machine can bear. A start that takes longer
 *  hangs, and another worker should try. */
const DEFAULT_LIMIT_MS = 60_000;

export interface AcceptanceReportsOptions {
  api: Pick<RuntimeApiClient, "reportAcceptance">;
  logger: Logger;
  /** Default 4,000. */
  intervalMs?: number;
  /** Time after which the reports stop, ms. Default 60,000. */
  limitMs?: number;
}

/** Reports from `start()` to `close()`. A failed report is not retried: the next one follows soon. */
export class AcceptanceReports {
  readonly #options: AcceptanceReportsOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: AcceptanceReportsOptions) {
    this.#options = options;
  }

  /** Reports now and then regularly. Once. */
  start(): void {
    const { limitMs = DEFAULT_LIMIT_MS } = this.#options;
    void this.#report(performance.now() + limitMs);
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #report(untilMs: number): Promise<void> {
    const { api, logger, intervalMs = DEFAULT_INTERVAL_MS } = this.#options;
    try {
      await api.reportAcceptance();
    } catch (error) {
      logger.debug({ err: error }, "acceptance not reported");
      // Ended, or given to another worker: the job and the event of going live are refused, too.
      if (error instanceof RuntimeApiError && error.isRefusal) this.close();
    }
    if (this.#isClosed || performance.now() >= untilMs) return;
    this.#timer = setTimeout(() => void this.#report(untilMs), intervalMs);
  }
}
