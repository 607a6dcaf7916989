// Adds a job to the queue inside the caller's transaction: the job exists if and only if the transaction is committed.
import { type QueryExecutorProvider, sql } from "kysely";

export interface AddJobOptions {
  /** At most one job of a key is waiting: a later job replaces an earlier one. */
  key?: string;
  /** Attempts before the job is given up. Default 10. Waits between attempts grow exponentially, starting below 3 s. */
  maxAttempts?: number;
  /** Jobs of one queue run one after another, across all processes. Default: no queue, they run as soon as a process is
   *  free. */
  queue?: string;
  /** Delay before it runs, in ms. Default 0. */
  delayMs?: number;
  /** If a job of the same key waits for a later time, keep that time. Default false: use the time of this job. */
  keepsTime?: boolean;
}

/** Adds a job of the given kind. Its flag lets a runner skip kinds that are at their concurrency. `database` may be a
 *  transaction. The payload must be JSON. */
export async function addJob(
  database: QueryExecutorProvider,
  name: string,
  payload: Record<string, unknown>,
  options: AddJobOptions = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      identifier => ${name}::text,
      payload => ${JSON.stringify(payload)}::json,
      queue_name => ${options.queue ?? null}::text,
      run_at => now() + ${options.delayMs ?? 0}::float8 * interval '1 millisecond',
      job_key => ${options.key ?? null}::text,
      job_key_mode => ${options.keepsTime ? "preserve_run_at" : "replace"}::text,
      max_attempts => ${options.maxAttempts ?? 10}::int,
      flags => array[${name}]::text[]
    )`.execute(database);
}
