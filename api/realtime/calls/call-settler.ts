// Settles calls that have ended. A relay is answered before, however many calls end together; the calls themselves are
// the queue, so nothing is lost if the process ends, and any other one goes on.

import type { RealtimeServices } from "../realtime-services.ts";
import { settleDueCall } from "./call-billing.ts";

export class CallSettler {
  readonly #services: Pick<RealtimeServices, "database" | "links" | "logger" | "now">;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isClosed = false;

  constructor(services: Pick<RealtimeServices, "database" | "links" | "logger" | "now">) {
    this.#services = services;
  }

  /** Settles all calls that have ended, one after the other. A repeated call during that starts nothing beside it. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isClosed) this.#running ??= this.#settleAll();
  }

  /** Waits for the call that is being settled. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #settleAll(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false;
        while (!this.#isClosed && (await settleDueCall(this.#services, "ended")));
      }
    } catch (error) {
      // The next wake goes on.
      this.#services.logger.error({ err: error }, "ended realtime calls not settled");
    } finally {
      this.#running = null;
    }
  }
}
