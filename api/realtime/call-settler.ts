// Settles calls that have ended. A relay is answered before, however many calls end together; the calls themselves are
// the queue, so nothing is lost if the process ends, and any other one goes on.
import type { BackgroundService } from "../kernel/module.ts";
import { settleDueCall } from "./call-billing.ts";
import type { RealtimeServices } from "./realtime-services.ts";

export interface CallSettler extends Pick<BackgroundService, "close"> {
  /** Settles all calls that have ended, one after the other. A repeated call during that starts nothing beside it. */
  wake(): void;
}

export function createCallSettler(
  services: Pick<RealtimeServices, "database" | "links" | "logger" | "now">,
): CallSettler {
  let running: Promise<void> | null = null;
  let isWoken = false;
  let isClosed = false;
  const settleAll = async (): Promise<void> => {
    try {
      while (isWoken && !isClosed) {
        isWoken = false;
        while (!isClosed && (await settleDueCall(services, "ended")));
      }
    } catch (error) {
      // The next wake goes on.
      services.logger.error({ err: error }, "ended realtime calls not settled");
    } finally {
      running = null;
    }
  };
  return {
    wake() {
      isWoken = true;
      if (!isClosed) running ??= settleAll();
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
