// Settles calls of silent relays, at what was last reported, and ended ones that another process has left.
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import type { RealtimeServices } from "../realtime-services.ts";
import { settleDueCall } from "./call-billing.ts";
import type { CallSettler } from "./call-settler.ts";

/** If two checks are this many intervals apart, the process stalled and received no reports. */
const STALL_INTERVALS = 3;

/** Every api process checks; the row lock lets one of them settle. No report arrives while the api or its database is
 *  down, so after a start, a failed check or a stall relays first get time to report. */
export function createCallSweep(services: RealtimeServices, settler: CallSettler): BackgroundService {
  const { logger, policies } = services;
  let reachableSinceMs = performance.now();
  let lastCheckMs = performance.now();
  const loop = new BackgroundLoop({
    name: "realtime-calls",
    intervalMs: policies.sweepMs,
    logger,
    async work() {
      settler.wake();
      const atMs = performance.now();
      if (atMs - lastCheckMs > STALL_INTERVALS * policies.sweepMs) reachableSinceMs = atMs;
      lastCheckMs = atMs;
      if (atMs - reachableSinceMs < policies.silentMs) return;
      try {
        for (;;) {
          const settled = await settleDueCall(services, { silentMs: policies.silentMs });
          if (settled === null) break;
          logger.warn({ callId: settled.id, credits: settled.credits }, "silent realtime call settled");
        }
      } catch (error) {
        reachableSinceMs = performance.now();
        throw error;
      }
    },
  });
  return {
    async start() {
      reachableSinceMs = performance.now();
      lastCheckMs = reachableSinceMs;
      await loop.start();
    },
    close: () => loop.close(),
  };
}
