// Gauges of what every noun depends on: the database and its connections, the LiveKit server, the disk.
import type { Pool } from "pg";
import type { Config } from "../../../program/config.ts";
import { freeBytes } from "../../../program/files/free-space.ts";
import type { LiveKitGateway } from "../livekit/livekit-gateway.ts";
import type { Metrics } from "./metrics.ts";

/** A server that does not answer within this time counts as not reachable, ms. */
const CHECK_TIMEOUT_MS = 1_000;

export interface KernelGaugesOptions {
  metrics: Metrics;
  pool: Pool;
  livekit: Pick<LiveKitGateway, "isReachable">;
  config: Pick<Config, "disk">;
}

/** Registers the gauges. */
export function addKernelGauges({ metrics, pool, livekit, config }: KernelGaugesOptions): void {
  metrics.gauges.add({
    part: "database",
    gauges: {
      up: { name: "avatar_database_up", help: "1 if the database answers this process within a second" },
      answer: {
        name: "avatar_database_answer_seconds",
        help: "Time of a query that reads nothing, with the wait for a connection",
      },
    },
    async read() {
      const startedMs = performance.now();
      const isUp = await isTrueInTime(pool.query("select 1").then(() => true));
      return { up: Number(isUp), answer: (performance.now() - startedMs) / 1000 };
    },
  });
  metrics.gauges.add({
    part: "pool",
    gauges: {
      connections: {
        name: "avatar_database_connections",
        help: "Connections of this process to the database, by state: used or idle",
        labels: ["state"],
      },
      limit: { name: "avatar_database_connections_limit", help: "Most connections of this process to the database" },
      waiting: { name: "avatar_database_waiting", help: "Queries of this process that wait for a connection" },
    },
    maxAgeMs: 0,
    async read() {
      const { totalCount, idleCount, waitingCount, options } = pool;
      return {
        connections: [
          { labels: { state: "used" }, value: totalCount - idleCount },
          { labels: { state: "idle" }, value: idleCount },
        ],
        limit: options.max,
        waiting: waitingCount,
      };
    },
  });
  metrics.gauges.add({
    part: "livekit",
    gauges: { up: { name: "avatar_livekit_up", help: "1 if the LiveKit server answers this process within a second" } },
    async read() {
      return { up: Number(await isTrueInTime(livekit.isReachable(CHECK_TIMEOUT_MS))) };
    },
  });
  metrics.gauges.add({
    part: "disk",
    gauges: {
      free: { name: "avatar_disk_free_bytes", help: "Free space on the disk of AVATAR_DATA_DIR" },
      least: {
        name: "avatar_disk_least_free_bytes",
        help: "Free space below which files are refused (AVATAR_MIN_FREE_DISK_MB)",
      },
    },
    async read() {
      return { free: await freeBytes(config.disk.dataDir), least: config.disk.minFreeBytes };
    },
  });
}

async function isTrueInTime(check: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  const isTrue = await Promise.race([check.catch(() => false), late]);
  clearTimeout(timer);
  return isTrue;
}
