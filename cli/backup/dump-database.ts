// Reads the whole database at one moment: rows as text, as PostgreSQL itself writes each value, so that nothing is
// rounded or reinterpreted.
import type { ClientBase } from "pg";
import { type BackupManifest, type BackupTable, backupPaths } from "./backup-format.ts";
import { writeLines } from "./json-lines.ts";
import { type CataloguedTable, listTables, quoteName } from "./table-catalogue.ts";

const FETCH_ROWS = 500;

export interface DatabaseDump
  extends Pick<BackupManifest, "created_at" | "migrations" | "tables" | "sequences" | "jobs"> {}

/** Writes tables and waiting jobs into the folder of a backup. The service may run: nothing is locked against writers.
 *  `onTable` is called before each table. */
export async function dumpDatabase(
  client: ClientBase,
  folder: string,
  onTable: (name: string, number: number, of: number) => void,
): Promise<DatabaseDump> {
  const paths = backupPaths(folder);
  await client.query("begin isolation level repeatable read read only");
  try {
    const { rows: now } = await client.query<{ at: Date }>("select now() as at");
    const { rows: applied } = await client.query<{ name: string }>("select name from schema_migrations order by name");
    const catalogue = await listTables(client);
    const tables: BackupTable[] = [];
    for (const [index, table] of catalogue.entries()) {
      onTable(table.name, index + 1, catalogue.length);
      const written = await writeLines(paths.table(table.name), readRows(client, table));
      tables.push({ name: table.name, columns: table.columns.map(({ name }) => name), ...written });
    }
    const sequences = await readSequences(client);
    const jobs = await writeLines(paths.jobs, readJobs(client));
    return {
      created_at: now[0].at.toISOString(),
      migrations: applied.map(({ name }) => name),
      tables,
      sequences,
      jobs,
    };
  } finally {
    await client.query("rollback");
  }
}

/** Each row as a JSON array of texts and nulls, in the order of the columns. */
async function* readRows(client: ClientBase, { name, columns }: CataloguedTable): AsyncGenerator<string> {
  const values = columns.map((column) => `${quoteName(column.name)}::text`).join(", ");
  yield* readCursor(client, `select to_json(array[${values}])::text as line from ${quoteName(name)}`);
}

/** Each waiting or running job with what `graphile_worker.add_job` needs to queue it again. A running one starts anew:
 *  every step is safe to repeat. */
async function* readJobs(client: ClientBase): AsyncGenerator<string> {
  const { rows } = await client.query<{ found: string | null }>(
    "select to_regclass('graphile_worker._private_jobs')::text as found",
  );
  if (rows[0].found === null) return;
  yield* readCursor(
    client,
    `select json_build_object(
       'identifier', t.identifier, 'payload', j.payload, 'queue', q.queue_name, 'run_at', j.run_at::text,
       'max_attempts', j.max_attempts, 'key', j.key, 'priority', j.priority, 'flags', j.flags)::text as line
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where j.attempts < j.max_attempts or j.locked_at is not null
     order by j.id`,
  );
}

async function* readCursor(client: ClientBase, select: string): AsyncGenerator<string> {
  await client.query(`declare backup_rows no scroll cursor for ${select}`);
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${FETCH_ROWS} from backup_rows`);
    if (rows.length === 0) break;
    for (const { line } of rows) yield line.replaceAll("\n", "");
  }
  await client.query("close backup_rows");
}

async function readSequences(client: ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = current_schema() and last_value is not null order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]));
}
