// Checks the dependencies of avatar sessions: the database, the LiveKit server, and at least one avatar worker.
import { setTimeout as delay } from "node:timers/promises";
import type { SessionServices } from "./session-services.ts";
import { listProviders } from "./workers/worker-registry.ts";

/** A dependency that does not answer within this time counts as away. */
const CHECK_TIMEOUT_MS = 1_000;
/** Callers within this time share one check: the route is public, and each check costs a query and a request. */
const CACHE_MS = 1_000;

export interface Readiness {
  database: "ok" | "away";
  livekit: "ok" | "away";
  /** `unknown` if the database, which stores the workers' reports, is away. */
  workers: "ok" | "away" | "unknown";
}

/** Returns a function that runs all checks at the same time, within about a second. It never throws. */
export function createReadinessCheck({
  database,
  livekit,
  now,
}: Pick<SessionServices, "database" | "livekit" | "now">): () => Promise<Readiness> {
  let latest: { atMs: number; result: Promise<Readiness> } | null = null;

  async function countProviders(): Promise<number | null> {
    const timeout = new AbortController();
    const query = listProviders(database, new Date(now())).then(
      ({ size }) => size,
      () => null,
    );
    const late = delay(CHECK_TIMEOUT_MS, null, { signal: timeout.signal }).catch(() => null);
    const providers = await Promise.race([query, late]);
    timeout.abort();
    return providers;
  }

  async function check(): Promise<Readiness> {
    const [providers, isLivekitThere] = await Promise.all([countProviders(), livekit.isReachable(CHECK_TIMEOUT_MS)]);
    return {
      database: providers === null ? "away" : "ok",
      livekit: isLivekitThere ? "ok" : "away",
      workers: providers === null ? "unknown" : providers > 0 ? "ok" : "away",
    };
  }

  return () => {
    const atMs = performance.now();
    if (latest === null || atMs - latest.atMs > CACHE_MS) latest = { atMs, result: check() };
    return latest.result;
  };
}
