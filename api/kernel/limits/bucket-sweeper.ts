// Deletes rate buckets that have long been full again. Every address that fails to authenticate creates one.
import { BackgroundLoop } from "../background-loop.ts";
import type { Kernel } from "../kernel.ts";
import type { BackgroundService } from "../module.ts";

const SWEEP_INTERVAL_MS = 600_000;
/** Every bucket is full after a minute; the rest is a margin for clock differences. */
const KEPT_SECONDS = 600;

export function createBucketSweeper({
  database,
  logger,
  now,
}: Pick<Kernel, "database" | "logger" | "now">): BackgroundService {
  return new BackgroundLoop({
    name: "rate bucket sweep",
    intervalMs: SWEEP_INTERVAL_MS,
    logger,
    async work() {
      await database
        .deleteFrom("rate_buckets")
        .where("at_unix_s", "<", now() / 1000 - KEPT_SECONDS)
        .execute();
    },
  });
}
