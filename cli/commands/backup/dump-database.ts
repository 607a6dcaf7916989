// Reads the whole database at one moment: rows as PostgreSQL's own COPY writes them, so that nothing is rounded or
// reinterpreted.
import { Readable } from "node:stream";
import type { ClientBase } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { type BackupManifest, type BackupTable, backupPaths } from "./backup-format.ts";
import { writeLines } from "./compressed-lines.ts";
import { columnList, listTables, quoteName } from "./table-catalogue.ts";

export interface DatabaseDump
  extends Pick<BackupManifest, "created_at" | "migrations" | "tables" | "sequences" | "jobs"> {}

/** Each waiting or running job with what `graphile_worker.add_job` needs to queue it again. A running one starts anew:
 *  every step is safe to repeat. The public view `jobs` has all but the payload. */
const JOBS = `
  select task_identifier, payload, queue_name, jobs.run_at, jobs.max_attempts, jobs.key, jobs.priority, jobs.flags
  from graphile_worker.jobs join graphile_worker._private_jobs using (id)
  where jobs.attempts < jobs.max_attempts or jobs.locked_at is not null
  order by id`;

/** Writes tables and waiting jobs into the folder of a backup. The service may run: nothing is locked against writers.
 *  `onTable` is called before each table. After an error the connection may be in the middle of a COPY: the caller
 *  closes it. */
export async function dumpDatabase(
  client: ClientBase,
  folder: string,
  onTable: (name: string, number: number, of: number) => void,
): Promise<DatabaseDump> {
  const paths = backupPaths(folder);
  await client.query("begin isolation level repeatable read read only");
  const { rows: now } = await client.query<{ at: Date }>("select now() as at");
  const { rows: applied } = await client.query<{ name: string }>("select name from schema_migrations order by name");
  const catalogue = await listTables(client);
  const tables: BackupTable[] = [];
  for (const [index, { name, columns }] of catalogue.entries()) {
    onTable(name, index + 1, catalogue.length);
    const rows = client.query(copyTo(`copy ${quoteName(name)} ${columnList(columns)} to stdout`));
    tables.push({ name, columns, ...(await writeLines(paths.table(name), rows)) });
  }
  const sequences = await readSequences(client);
  const jobs = await writeLines(paths.jobs, await readJobs(client));
  await client.query("rollback");
  return { created_at: now[0].at.toISOString(), migrations: applied.map(({ name }) => name), tables, sequences, jobs };
}

/** A service that never ran has no queue. */
async function readJobs(client: ClientBase): Promise<Readable> {
  const { rows } = await client.query<{ found: string | null }>("select to_regclass('graphile_worker.jobs') as found");
  return rows[0].found === null ? Readable.from([]) : client.query(copyTo(`copy (${JOBS}) to stdout`));
}

async function readSequences(client: ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = current_schema() and last_value is not null order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]));
}
