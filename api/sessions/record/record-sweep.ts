// Deletes records that nothing needs: ended sessions that served nothing, and exchanges that began no session.
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import { deleteUnserved } from "../self-hosted/self-hosted-store.ts";
import type { SessionServices } from "../session-services.ts";
import { sweepTokenExchanges } from "../tokens/token-exchange-store.ts";

const INTERVAL_MS = 60_000;
/** A day to see why a session served nothing. Launch tokens are valid for an hour; a session shows their use. */
const UNSERVED_KEPT_MS = 24 * 3600_000;
const UNSERVED_KEPT_PER_ACCOUNT = 1_000;

/** Sweeps every minute. */
export function createRecordSweep(services: Pick<SessionServices, "database" | "logger" | "now">): BackgroundService {
  const { database, logger, now } = services;
  return new BackgroundLoop({
    name: "session records",
    intervalMs: INTERVAL_MS,
    logger,
    async work() {
      const before = new Date(now() - UNSERVED_KEPT_MS);
      await deleteUnserved(database, { before, keptPerAccount: UNSERVED_KEPT_PER_ACCOUNT });
      await sweepTokenExchanges(database, new Date(now()));
    },
  });
}
