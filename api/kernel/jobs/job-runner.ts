// Runs durable jobs out of PostgreSQL, and notices at once when another process died with jobs in hand.
import { EventEmitter } from "node:events";
import { makeWorkerUtils, type Runner, run, type TaskList, Logger as WorkerLogger } from "graphile-worker";
import type { Pool } from "pg";
import type { Logger } from "../../../shared/log.ts";
import { createKindSlots } from "./kind-slots.ts";
import { type ProcessLock, releaseJobsOfDeadProcesses, takeProcessLock } from "./process-lock.ts";

const RECOVERY_INTERVAL_MS = 60_000;
/** After a start the looks come quicker: PostgreSQL may take a moment to notice that the process before us is gone. */
const FIRST_RECOVERIES_MS = [500, 2_000, 10_000];
/** New jobs are announced by NOTIFY; polling only finds retries and jobs planned for later. */
const POLL_INTERVAL_MS = 1_000;

export interface JobContext {
  /** 1 for the first try. */
  attempt: number;
  /** True when no further try will follow a failure. */
  isLastAttempt: boolean;
  /** Fires when this process is told to stop. A long step may abort; it will be run again. */
  signal: AbortSignal;
}

/** A kind of job. `run` may be called again for the same payload after a crash: every step must be safe to repeat. */
export interface JobKind {
  name: string;
  /** Most that run at a time in this process. */
  concurrency: number;
  run(payload: unknown, context: JobContext): Promise<void>;
}

export interface JobRunnerOptions {
  pool: Pool;
  kinds: readonly JobKind[];
  logger: Logger;
  /** Called after each look for dead processes (at start and every minute), to settle what they left. */
  onRecovery?(): Promise<void>;
}

export interface JobRunner {
  /** Installs the queue's tables if needed and starts taking jobs. */
  start(): Promise<void>;
  /** Takes no more jobs and waits for running ones up to `graceMs` (default 10 s); what is unfinished by then goes
   *  back to the queue. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

/** A job runner on the given pool. */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { pool, kinds, logger } = options;
  const slots = new Map(kinds.map((kind) => [kind.name, createKindSlots(kind.concurrency)]));
  const stopping = new AbortController();
  let runner: Runner | null = null;
  let lock: Promise<ProcessLock> | null = null;
  let recoveryTimer: NodeJS.Timeout | null = null;
  let recovering: Promise<void> = Promise.resolve();
  let closing: Promise<void> | null = null;

  const taskList: TaskList = Object.fromEntries(
    kinds.map((kind) => [
      kind.name,
      async (payload, helpers) => {
        // A job must not run before this process can be seen to be alive, or another would take it away.
        await lock;
        const { attempts, max_attempts: maxAttempts } = helpers.job;
        const isLastAttempt = attempts >= maxAttempts;
        const leave = await slots.get(kind.name)?.enter();
        const started = performance.now();
        try {
          await kind.run(payload, { attempt: attempts, isLastAttempt, signal: stopping.signal });
        } finally {
          leave?.();
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
      // The tables first, so that recovery finds them on a fresh database too.
      await installJobTables(pool, logger);
      await recover();
      const events = new EventEmitter();
      events.once("pool:create", ({ workerPool }: { workerPool: { id: string } }) => {
        lock = takeProcessLock(pool, workerPool.id, logger);
      });
      runner = await run({
        pgPool: pool,
        taskList,
        concurrency: kinds.reduce((sum, kind) => sum + kind.concurrency, 0),
        // A kind that is busy leaves its jobs in the queue, so that they hold no slot of the others'.
        forbiddenFlags: () => [...slots].filter(([, kind]) => kind.isFull()).map(([name]) => name),
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

/** Creates or updates the queue's own tables (schema `graphile_worker`). Safe to run at the same time in several
 *  processes. */
export async function installJobTables(pool: Pool, logger: Logger): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: pool, logger: adaptLogger(logger) });
  try {
    await utils.migrate();
  } finally {
    await utils.release();
  }
}

/** Forgets queues in which nothing waits: where their names are made of ids there is no end to them. A job that is
 *  being added to such a queue at that very moment loses it and never runs: who names queues adds jobs again that
 *  are overdue. */
export async function sweepJobQueues(pool: Pool, logger: Logger): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: pool, logger: adaptLogger(logger) });
  try {
    await utils.cleanup({ tasks: ["GC_JOB_QUEUES"] });
  } finally {
    await utils.release();
  }
}

/** The library's chatter is of use when debugging only; its errors always. */
function adaptLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    if (level === "error") logger.error(message);
    else logger.debug(message);
  });
}

/** Waits for running jobs; those that outlive the grace stay locked, and are freed when the process lock is
 *  released. */
async function stopWithin(runner: Runner, graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([runner.stop(), deadline]);
  clearTimeout(timer);
}
