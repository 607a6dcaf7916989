// Fills an empty database with the rows and jobs of a backup, in one transaction.
import type { ClientBase } from "pg";
import { z } from "zod";
import { type BackupManifest, type BackupTable, backupPaths } from "./backup-format.ts";
import { readLines } from "./json-lines.ts";
import { type CataloguedTable, listTables, quoteName } from "./table-catalogue.ts";

const BATCH_ROWS = 500;
/** Rows with documents are large; a batch ends early then. */
const BATCH_CHARACTERS = 2_000_000;

const jobSchema = z.object({
  identifier: z.string(),
  payload: z.unknown(),
  queue: z.string().nullable(),
  run_at: z.string(),
  max_attempts: z.int(),
  key: z.string().nullable(),
  priority: z.int(),
  flags: z.record(z.string(), z.boolean()).nullable(),
});

/** The first table that holds rows, or null if the database is empty. */
export async function findFilledTable(client: ClientBase): Promise<string | null> {
  for (const { name } of await listTables(client)) {
    const { rowCount } = await client.query(`select 1 from ${quoteName(name)} limit 1`);
    if (rowCount !== 0) return name;
  }
  return null;
}

/** Loads tables, sequences and jobs. The schema is that of the backup's migrations. Throws the database's error; the
 *  database is then as before. `onTable` is called before each table. */
export async function loadDatabase(
  client: ClientBase,
  folder: string,
  manifest: BackupManifest,
  onTable: (name: string, number: number, of: number) => void,
): Promise<void> {
  const paths = backupPaths(folder);
  const saved = new Map(manifest.tables.map((table) => [table.name, table]));
  await client.query("begin");
  try {
    const tables = (await listTables(client)).filter(({ name }) => saved.has(name));
    if (tables.length < saved.size) throw new Error("the backup holds tables that this version does not know");
    for (const [index, table] of tables.entries()) {
      onTable(table.name, index + 1, tables.length);
      await loadTable(client, table, saved.get(table.name)!, paths.table(table.name));
    }
    for (const [name, value] of Object.entries(manifest.sequences)) {
      await client.query("select setval($1::text::regclass, $2)", [quoteName(name), value]);
    }
    for await (const line of readLines(paths.jobs)) await addJob(client, jobSchema.parse(JSON.parse(line)));
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

async function loadTable(
  client: ClientBase,
  table: CataloguedTable,
  { columns }: BackupTable,
  path: string,
): Promise<void> {
  const name = quoteName(table.name);
  const types = new Map(table.columns.map((column) => [column.name, column.type]));
  const values = columns.map((column, index) => {
    const type = types.get(column);
    if (type === undefined) throw new Error(`the table ${table.name} has no column ${column}`);
    return `(line->>${index})::${type}`;
  });
  const insert =
    `insert into ${name} (${columns.map(quoteName).join(", ")}) overriding system value ` +
    `select ${values.join(", ")} from json_array_elements($1::json) as line`;
  // Triggers compute balances from movements: both are in the backup.
  await client.query(`alter table ${name} disable trigger user`);
  for await (const batch of batchesOf(readLines(path))) await client.query(insert, [`[${batch.join(",")}]`]);
  await client.query(`alter table ${name} enable trigger user`);
}

async function* batchesOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += line.length;
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function addJob(client: ClientBase, job: z.infer<typeof jobSchema>): Promise<void> {
  await client.query(
    `select graphile_worker.add_job(identifier => $1, payload => $2::json, queue_name => $3, run_at => $4::timestamptz,
       max_attempts => $5::int, job_key => $6, priority => $7::int, flags => $8::text[])`,
    [
      job.identifier,
      JSON.stringify(job.payload),
      job.queue,
      job.run_at,
      job.max_attempts,
      job.key,
      job.priority,
      job.flags && Object.keys(job.flags),
    ],
  );
}
