// Detects dead processes. Each job-running process holds an advisory lock named after itself; PostgreSQL releases the
// lock with the connection. If another process can take the lock, its owner is dead and its jobs can be freed.
import type { Pool, PoolClient } from "pg";
import type { Logger } from "../../../program/log.ts";

/** First half of the lock's key; separates these locks from other advisory locks. */
const LOCK_SPACE = 0x6a6f62;
const RETRY_MS = 500;

export interface ProcessLock {
  /** Releases the lock. Idempotent. */
  release(): Promise<void>;
}

/** Takes the lock of `processId` (graphile-worker's id of the worker pool) on a connection of its own. If that
 *  connection breaks, the lock is taken again on a new one. Resolves once held. */
export async function takeProcessLock(pool: Pool, processId: string, logger: Logger): Promise<ProcessLock> {
  let released = false;
  let client: PoolClient | null = null;

  async function take(): Promise<void> {
    const connection = await pool.connect();
    connection.on("error", (error) => {
      // If the lock is not held yet, the query below fails with the connection. After `release`, the pool closes the
      // connection.
      if (client !== connection) return;
      client = null;
      connection.release(error);
      retake();
    });
    try {
      await connection.query("select pg_advisory_lock($1, hashtext($2))", [LOCK_SPACE, processId]);
    } catch (error) {
      connection.release(error instanceof Error ? error : true);
      throw error;
    }
    if (released) connection.release(true);
    else client = connection;
  }

  function retake(): void {
    logger.warn("the connection that shows this process alive broke; connecting again");
    const attempt = () => {
      if (released) return;
      take().catch((error) => {
        logger.error({ err: error }, "taking the process lock failed");
        setTimeout(attempt, RETRY_MS).unref();
      });
    };
    attempt();
  }

  await take();
  return {
    async release() {
      released = true;
      // Closing the connection releases the lock even if an unlock statement could not be sent.
      client?.release(true);
      client = null;
    },
  };
}

/** Frees the jobs of processes that no longer hold their lock. Returns the ids of those processes. Safe to run
 *  anywhere, also concurrently. */
export async function releaseJobsOfDeadProcesses(pool: Pool): Promise<string[]> {
  const holders = await pool.query<{ id: string }>(
    // A queue is locked by the process of its running job, in the same statement.
    "select distinct locked_by as id from graphile_worker.jobs where locked_by is not null",
  );
  const dead: string[] = [];
  for (const { id } of holders.rows) {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_lock($1, hashtext($2)) as free", [
        LOCK_SPACE,
        id,
      ]);
      if (!rows[0].free) continue;
      try {
        await client.query("select graphile_worker.force_unlock_workers($1::text[])", [[id]]);
        dead.push(id);
      } finally {
        await client.query("select pg_advisory_unlock($1, hashtext($2))", [LOCK_SPACE, id]);
      }
    } finally {
      client.release();
    }
  }
  return dead;
}
