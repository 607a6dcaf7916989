// Runs durable jobs from PostgreSQL, and frees the jobs of processes that died.
import { EventEmitter, setMaxListeners } from "node:events";
import { makeWorkerUtils, type Runner, run, type TaskList, Logger as WorkerLogger } from "graphile-worker";
import type { Pool } from "pg";
import type { Logger } from "../../../program/log.ts";
import { OwnerSlots } from "../../../program/owner-slots.ts";
import { ownerFlag, ownerIn } from "./add-job.ts";
import type { JobMetrics } from "./job-metrics.ts";
import { type ProcessLock, releaseJobsOfDeadProcesses, takeProcessLock } from "./process-lock.ts";
import { queuePool } from "./queue-pool.ts";

const RECOVERY_INTERVAL_MS = 60_000;
/** Delays of the first recoveries after a start. They are short, because PostgreSQL may need a moment to notice that
 *  the previous process has died. */
const FIRST_RECOVERIES_MS = [500, 2_000, 10_000];
/** New jobs are announced by NOTIFY; polling only finds retries and delayed jobs. */
const POLL_INTERVAL_MS = 1_000;

export interface JobContext {
  /** 1 for the first attempt. */
  attempt: number;
  /** True if no further attempt follows a failure. */
  isLastAttempt: boolean;
  /** Fires when this process shuts down. A long step may abort; it will run again. */
  signal: AbortSignal;
}

/** A kind of job. `run` may be called again for the same payload after a crash: every step must be safe to repeat. */
export interface JobKind {
  name: string;
  /** Largest number of concurrent jobs in this process. */
  concurrency: number;
  /** Largest number of concurrent jobs of one owner in this process; see `AddJobOptions`. Default: no limit. */
  perOwner?: number;
  run(payload: unknown, context: JobContext): Promise<void>;
}

export interface JobRunnerOptions {
  pool: Pool;
  kinds: readonly JobKind[];
  logger: Logger;
  /** Default: jobs are not counted. */
  metrics?: JobMetrics;
  /** Called after each recovery (at start and every minute), to settle what dead processes left. */
  onRecovery?(): Promise<void>;
}

export interface JobRunner {
  /** Installs the queue's tables if needed and starts taking jobs. */
  start(): Promise<void>;
  /** Takes no more jobs and waits up to `graceMs` (default 10 s) for running ones. Unfinished jobs go back to the
   *  queue. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

/** A job runner on the given pool. */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { pool, kinds, logger, metrics } = options;
  const slots = new Map(kinds.map(({ name, concurrency }) => [name, new OwnerSlots(concurrency)]));
  const ownerSlots = new Map(
    kinds.flatMap(({ name, perOwner }) => (perOwner === undefined ? [] : [[name, new OwnerSlots(perOwner)] as const])),
  );
  const stopping = new AbortController();
  // Each running job may wait for it: Node warns of a leak from eleven on.
  setMaxListeners(0, stopping.signal);
  let runner: Runner | null = null;
  let lock: Promise<ProcessLock> | null = null;
  let recoveryTimer: NodeJS.Timeout | null = null;
  let recovering: Promise<void> = Promise.resolve();
  let closing: Promise<void> | null = null;

  const taskList: TaskList = Object.fromEntries(
    kinds.map((kind) => [
      kind.name,
      async (payload, helpers) => {
        // A job must not run before this process holds its lock, or another process would free the job.
        await lock;
        const { attempts, max_attempts: maxAttempts } = helpers.job;
        const isLastAttempt = attempts >= maxAttempts;
        // The owner's first, so that jobs of an owner who is at the limit take no slot of the kind while they wait.
        const owner = ownerIn(helpers.job.flags, kind.name);
        const leaveOwner = owner === undefined ? undefined : await ownerSlots.get(kind.name)?.enter(owner);
        const leave = await slots.get(kind.name)?.enter(kind.name);
        const started = performance.now();
        let result: "done" | "failed" = "failed";
        try {
          await kind.run(payload, { attempt: attempts, isLastAttempt, signal: stopping.signal });
          result = "done";
        } finally {
          leave?.();
          leaveOwner?.();
          metrics?.observe(kind.name, result, (performance.now() - started) / 1000);
        }
        const durationMs = Math.round(performance.now() - started);
        logger.debug({ job: kind.name, jobId: helpers.job.id, attempt: attempts, durationMs }, "job done");
      },
    ]),
  );

  async function recover(): Promise<void> {
    try {
      const freed = await releaseJobsOfDeadProcesses(pool);
      if (freed.length > 0) logger.warn({ processes: freed.length }, "jobs of dead processes taken over");
      await options.onRecovery?.();
    } catch (error) {
      logger.error({ err: error }, "looking for dead processes failed; tried again in a minute");
    }
  }

  function scheduleRecovery(first: number[]): void {
    recoveryTimer = setTimeout(async () => {
      recovering = recover();
      await recovering;
      if (!stopping.signal.aborted) scheduleRecovery(first);
    }, first.shift() ?? RECOVERY_INTERVAL_MS);
  }

  return {
    async start() {
      const workerLogger = adaptLogger(logger);
      // The tables are created first, so that recovery finds them in a new database too.
      await installJobTables(pool, logger);
      await recover();
      const events = new EventEmitter();
      events.once("pool:create", ({ workerPool }: { workerPool: { id: string } }) => {
        lock = takeProcessLock(pool, workerPool.id, logger);
      });
      runner = await run({
        pgPool: queuePool(pool, () => stopping.signal.aborted),
        taskList,
        concurrency: kinds.reduce((sum, kind) => sum + kind.concurrency, 0),
        // A kind or an owner at the limit leaves its jobs in the queue, so that they do not occupy slots of others.
        forbiddenFlags: () => [
          ...[...slots.values()].flatMap(({ full }) => full),
          ...[...ownerSlots].flatMap(([name, { full }]) => full.map((owner) => ownerFlag(name, owner))),
        ],
        pollInterval: POLL_INTERVAL_MS,
        noHandleSignals: true,
        logger: workerLogger,
        events,
      });
      await lock;
      scheduleRecovery([...FIRST_RECOVERIES_MS]);
    },

    close(graceMs = 10_000) {
      closing ??= (async () => {
        stopping.abort();
        if (recoveryTimer) clearTimeout(recoveryTimer);
        await recovering;
        if (runner) await stopWithin(runner, graceMs);
        await (await lock)?.release();
      })();
      return closing;
    },
  };
}

/** Creates or updates the queue's own tables (schema `graphile_worker`). Safe to run in several processes at the same
 *  time. */
export async function installJobTables(pool: Pool, logger: Logger): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: pool, logger: adaptLogger(logger) });
  try {
    await utils.migrate();
  } finally {
    await utils.release();
  }
}

/** Deletes queues without jobs; queues named after ids would otherwise accumulate. A job that is added to one of them
 *  at the same moment loses its queue and never runs, so code that names queues must add overdue jobs again. */
export async function sweepJobQueues(pool: Pool, logger: Logger): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: pool, logger: adaptLogger(logger) });
  try {
    await utils.cleanup({ tasks: ["GC_JOB_QUEUES"] });
  } finally {
    await utils.release();
  }
}

/** The library's info messages are logged at debug level, its errors as errors. */
function adaptLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    if (level === "error") logger.error(message);
    else logger.debug(message);
  });
}

/** Waits for running jobs. Jobs that outlast the grace period stay locked, and are freed when the process lock is
 *  released. */
async function stopWithin(runner: Runner, graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([runner.stop(), deadline]);
  clearTimeout(timer);
}
