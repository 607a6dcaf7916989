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
  /** The account that the work is for. Its jobs of a kind take turns with those of other accounts: each is preceded by
   *  the others' jobs that have fewer of their own account before them. A kind may also limit how many of them run. */
  owner?: string;
}

/** The flag of an owner's jobs of a kind. */
export function ownerFlag(name: string, owner: string): string {
  return `${name}:${owner}`;
}

/** The owner in the flags of a job of the kind; undefined if it has none. */
export function ownerIn(flags: Readonly<Record<string, unknown>> | null, name: string): string | undefined {
  const prefix = ownerFlag(name, "");
  return Object.keys(flags ?? {})
    .find((flag) => flag.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Adds a job of the given kind. Its flags let a runner skip kinds and owners that are at their limit. `database` may
 *  be a transaction. The payload must be JSON. */
export async function addJob(
  database: QueryExecutorProvider,
  name: string,
  payload: Record<string, unknown>,
  options: AddJobOptions = {},
): Promise<void> {
  const { owner } = options;
  const flags = owner === undefined ? [name] : [name, ownerFlag(name, owner)];
  // Jobs are deleted when they are done, so this counts what is before the new one.
  const priority =
    owner === undefined
      ? sql`0`
      : sql`(select count(*)::int from graphile_worker.jobs where flags ? ${ownerFlag(name, owner)}::text)`;
  await sql`
    select graphile_worker.add_job(
      identifier => ${name}::text,
      payload => ${JSON.stringify(payload)}::json,
      queue_name => ${options.queue ?? null}::text,
      run_at => now() + ${options.delayMs ?? 0}::float8 * interval '1 millisecond',
      job_key => ${options.key ?? null}::text,
      job_key_mode => ${options.keepsTime ? "preserve_run_at" : "replace"}::text,
      max_attempts => ${options.maxAttempts ?? 10}::int,
      priority => ${priority},
      flags => ${flags}::text[]
    )`.execute(database);
}
