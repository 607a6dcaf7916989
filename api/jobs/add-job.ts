// Puts a job into the queue inside the caller's transaction: it exists if and only if what it belongs to was committed.
import { type QueryExecutorProvider, sql } from "kysely";

export interface AddJobOptions {
  /** Two jobs of one key never wait at the same time: the later one replaces the earlier. */
  key?: string;
  /** Tries before the job is given up. Default 10. Waits between tries grow exponentially, starting below 3 s. */
  maxAttempts?: number;
}

/** Adds a job of the given kind. `database` may be a transaction. The payload must be JSON. */
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
      job_key => ${options.key ?? null}::text,
      max_attempts => ${options.maxAttempts ?? 10}::int
    )`.execute(database);
}
