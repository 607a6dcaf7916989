// Compares this machine's clock with the api's. Tokens are valid for a minute, so with a wrong clock LiveKit and the
// api refuse this worker, and neither says why.
import type { Logger } from "../../program/log.ts";

/** Tokens allow for this much, and clocks that are kept by NTP are far below it. */
const LARGEST_DIFFERENCE_MS = 30_000;
const CHECK_INTERVAL_MS = 10 * 60_000;
/** While the api is away, ms. */
const RETRY_MS = 10_000;
const REQUEST_TIMEOUT_MS = 5_000;

export interface ClockCheckOptions {
  /** Base URL of the api. */
  apiUrl: string;
  /** Unix time of this machine, ms. */
  now(): number;
  logger: Pick<Logger, "error" | "debug">;
}

/** Checks from `start()` to `close()`, and logs an error for each check that finds the clock wrong. */
export class ClockCheck {
  readonly #options: ClockCheckOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ClockCheckOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#check();
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    const { apiUrl, now, logger } = this.#options;
    let pauseMs = CHECK_INTERVAL_MS;
    try {
      const askedMs = now();
      const answer = await fetch(`${apiUrl}/healthz`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      await answer.body?.cancel();
      // The answer was written somewhere between the question and now, and its header counts whole seconds.
      const differenceMs = (askedMs + now()) / 2 - Date.parse(answer.headers.get("date") ?? "");
      if (Math.abs(differenceMs) > LARGEST_DIFFERENCE_MS) logger.error(...describe(differenceMs));
    } catch (error) {
      logger.debug({ err: error }, "clock not compared: the api cannot be reached");
      pauseMs = RETRY_MS;
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), pauseMs);
    this.#timer.unref();
  }
}

function describe(differenceMs: number): [{ differenceS: number }, string] {
  const differenceS = Math.round(differenceMs / 1000);
  const direction = differenceS > 0 ? "ahead of" : "behind";
  return [
    { differenceS },
    `this machine's clock is ${Math.abs(differenceS)} s ${direction} the api's: LiveKit and the api refuse its tokens. ` +
      "Set the clock, and keep it with NTP",
  ];
}
