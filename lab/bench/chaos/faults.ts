// The faults, each injected for real into processes of the service.
import { setTimeout as delay } from "node:timers/promises";
import { startEmbeddedPostgres } from "../../../cli/start/postgres/embedded-postgres.ts";
import { isRunning } from "../../../cli/start/processes/process-identity.ts";
import { readProcesses, treeOf } from "../cpu-time.ts";
import { waitUntilAsync } from "../service/wait-until-async.ts";
import type { FaultGoal } from "./chaos-metrics.ts";
import type { ChaosStage } from "./chaos-stage.ts";

export interface Fault {
  name: string;
  /** What is done, for the table. */
  what: string;
  goal: FaultGoal;
  /** Does it `--times` times; otherwise `--kills` times. */
  isRare: boolean;
  /** Injects the fault and resolves when it has happened; a part that the service does not restart is running again. */
  inject(stage: ChaosStage): Promise<void>;
}

const SESSION_BACK_MS = 4000;
const WORKER_BACK_MS = 10_000;
const LIVEKIT_BACK_MS = 15_000;
const POSTGRES_AWAY_MS = 3000;
const API_AWAY_MS = 15_000;
const STOP_TIMEOUT_MS = 20_000;

export const FAULTS: readonly Fault[] = [
  {
    name: "session",
    what: "session process killed while speaking",
    goal: { backP95Ms: SESSION_BACK_MS },
    isRare: false,
    async inject(stage) {
      killAll((await stage.sessionProcesses()).live);
    },
  },
  {
    name: "both",
    what: "session and waiting processes killed",
    goal: { backP95Ms: SESSION_BACK_MS },
    isRare: true,
    async inject(stage) {
      const { live, waiting } = await stage.sessionProcesses();
      killAll([...waiting, ...live]);
    },
  },
  {
    name: "worker",
    what: "worker killed with its processes",
    goal: { backP95Ms: WORKER_BACK_MS },
    isRare: true,
    async inject(stage) {
      const { workers } = await stage.processes();
      killAll(treeOf(await readProcesses(), workers).map(({ pid }) => pid));
    },
  },
  {
    name: "drain",
    what: "worker told to drain (SIGTERM)",
    goal: { backP95Ms: WORKER_BACK_MS },
    isRare: true,
    async inject(stage) {
      for (const pid of (await stage.processes()).workers) process.kill(pid, "SIGTERM");
    },
  },
  {
    name: "livekit",
    what: "LiveKit server killed and restarted",
    goal: { backP95Ms: LIVEKIT_BACK_MS },
    isRare: true,
    async inject(stage) {
      const { livekit } = await stage.processes();
      if (livekit !== null) killAll([livekit]);
    },
  },
  {
    // What the machine does to sender, listener and service by itself.
    name: "none",
    what: "no fault, for comparison",
    goal: {},
    isRare: true,
    async inject() {},
  },
  {
    name: "api",
    what: "api killed and restarted",
    goal: {},
    isRare: true,
    async inject(stage) {
      killAll([(await stage.processes()).api]);
      await stage.waitUntilReady();
    },
  },
  {
    name: "postgres",
    what: "PostgreSQL stopped for 3 s",
    goal: {},
    isRare: true,
    inject: restartPostgres,
  },
  {
    name: "network",
    what: "api unreachable for 15 s (suspended)",
    goal: {},
    isRare: true,
    async inject(stage) {
      const pids = treeOf(await readProcesses(), [(await stage.processes()).api]).map(({ pid }) => pid);
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      try {
        await delay(API_AWAY_MS);
      } finally {
        for (const pid of pids) process.kill(pid, "SIGCONT");
      }
    },
  },
];

/** SIGINT is PostgreSQL's "fast" shutdown: connections are cut, transactions rolled back. */
async function restartPostgres(stage: ChaosStage): Promise<void> {
  const { postgres } = await stage.processes();
  const { dataDir } = stage.service;
  if (postgres === null || dataDir === null) throw new Error("the service's PostgreSQL was not found");
  process.kill(postgres, "SIGINT");
  await waitUntilAsync(async () => !(await isRunning(postgres)), "PostgreSQL stops", STOP_TIMEOUT_MS);
  await delay(POSTGRES_AWAY_MS);
  await startEmbeddedPostgres({ dataDir });
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
  }
}
