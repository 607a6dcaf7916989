// Settles calls whose relay has gone silent, at what was last reported.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { BackgroundService } from "../kernel/module.ts";
import { settleCall } from "./call-billing.ts";
import { listSilentCalls } from "./call-store.ts";
import type { RealtimeServices } from "./realtime-services.ts";

const BATCH_CALLS = 200;
/** If two checks are this many intervals apart, the process stalled and received no reports. */
const STALL_INTERVALS = 3;

/** Every api process checks; the row lock lets one of them settle. No report arrives while the api or its database is
 *  down, so after a start, a failed check or a stall relays first get time to report. */
export function createCallSweep(services: RealtimeServices): BackgroundService {
  const { database, logger, now, policies } = services;
  let reachableSinceMs = performance.now();
  let lastCheckMs = performance.now();
  const loop = createBackgroundLoop({
    name: "realtime-calls",
    intervalMs: policies.sweepMs,
    logger,
    async work() {
      const atMs = performance.now();
      if (atMs - lastCheckMs > STALL_INTERVALS * policies.sweepMs) reachableSinceMs = atMs;
      lastCheckMs = atMs;
      if (atMs - reachableSinceMs < policies.silentMs) return;
      try {
        const since = new Date(now() - policies.silentMs);
        for (const callId of await listSilentCalls(database, since, BATCH_CALLS)) {
          const credits = await settleCall(services, { id: callId, deciseconds: 0 });
          if (credits !== null) logger.warn({ callId, credits }, "silent realtime call settled");
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
