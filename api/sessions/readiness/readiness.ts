// Checks the dependencies of avatar sessions: the database, the LiveKit server, and at least one avatar worker.
import { setTimeout as delay } from "node:timers/promises";
import type { SessionServices } from "../session-services.ts";
import { listProviders } from "../workers/worker-registry.ts";

/** A dependency that does not answer within this time counts as not reachable. */
const CHECK_TIMEOUT_MS = 1_000;
/** Requests within this time share one check, because the route is public and a check costs a query and a request. */
const CACHE_MS = 1_000;

export interface Readiness {
  database: "ok" | "away";
  /** `outdated` if the server is older than the service needs (`LEAST_LIVEKIT_VERSION`). */
  livekit: "ok" | "away" | "outdated";
  /** `unknown` if the database, which stores the workers' reports, does not answer. */
  workers: "ok" | "away" | "unknown";
  /** Whether a realtime relay has reported recently. Avatar sessions do not need one. */
  relays: "ok" | "away" | "unknown";
}

/** Returns a function that runs all checks at the same time, within about a second. It never throws. */
export function createReadinessCheck({
  database,
  livekit,
  now,
  isRelayed,
}: Pick<SessionServices, "database" | "livekit" | "now" | "isRelayed">): () => Promise<Readiness> {
  let latest: { atMs: number; result: Promise<Readiness> } | null = null;

  const countProviders = (): Promise<number | null> =>
    withinTimeout(listProviders(database, new Date(now())).then(({ size }) => size));

  async function check(): Promise<Readiness> {
    const [providers, hasRelay, isLivekitThere, server] = await Promise.all([
      countProviders(),
      withinTimeout(isRelayed()),
      livekit.isReachable(CHECK_TIMEOUT_MS),
      // The version is cached, because it never changes while the server runs. A late answer counts at the next check.
      withinTimeout(livekit.checkServer()),
    ]);
    return {
      database: providers === null ? "away" : "ok",
      livekit: !isLivekitThere ? "away" : server?.status === "outdated" ? "outdated" : "ok",
      workers: providers === null ? "unknown" : providers > 0 ? "ok" : "away",
      relays: hasRelay === null ? "unknown" : hasRelay ? "ok" : "away",
    };
  }

  return () => {
    const atMs = performance.now();
    if (latest === null || atMs - latest.atMs > CACHE_MS) latest = { atMs, result: check() };
    return latest.result;
  };
}

/** The result of a check, or null if it fails or takes too long. */
async function withinTimeout<T>(result: Promise<T>): Promise<T | null> {
  const timeout = new AbortController();
  const late = delay(CHECK_TIMEOUT_MS, null, { signal: timeout.signal }).catch(() => null);
  const first = await Promise.race([result.catch(() => null), late]);
  timeout.abort();
  return first;
}
