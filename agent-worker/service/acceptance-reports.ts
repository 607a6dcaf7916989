// Reports to the api that this worker holds a session's job: when it takes the job, and again until the session is
// live. The api dispatches a session again when no report comes for 12 s, and a slow start on a busy machine must not
// look like a dead worker.
import type { Logger } from "../../program/log.ts";
import { type RuntimeApiClient, refusesSession } from "../session/runtime-api-client.ts";

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

  /** Reports now, and then regularly. Resolves after the first report: false if the api has cancelled the job; true
   *  also if the api cannot be reached, because the job may still be valid. Once. */
  start(): Promise<boolean> {
    return this.#report(performance.now() + (this.#options.limitMs ?? DEFAULT_LIMIT_MS));
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #report(untilMs: number): Promise<boolean> {
    const { api, logger, intervalMs = DEFAULT_INTERVAL_MS } = this.#options;
    let isValid = true;
    try {
      await api.reportAcceptance();
    } catch (error) {
      logger.debug({ err: error }, "acceptance not reported");
      isValid = !refusesSession(error);
    }
    if (isValid && !this.#isClosed && performance.now() < untilMs) {
      this.#timer = setTimeout(() => void this.#report(untilMs), intervalMs);
      this.#timer.unref();
    }
    return isValid;
  }
}
