// Fills an empty database with the rows and jobs of a backup, in one transaction.
import { pipeline } from "node:stream/promises";
import type { ClientBase } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type BackupManifest, backupPaths } from "./backup-format.ts";
import { readText } from "./compressed-lines.ts";
import { readFormat1 } from "./read-format-1.ts";
import { columnList, listTables, quoteName } from "./table-catalogue.ts";

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
  const paths = backupPaths(folder, manifest.format);
  const saved = new Map(manifest.tables.map((table) => [table.name, table]));
  const read = manifest.format === 1 ? readFormat1 : readText;
  const load = (path: string, target: string) =>
    pipeline(read(path), client.query(copyFrom(`copy ${target} from stdin`)));
  await client.query("begin");
  try {
    const tables = (await listTables(client)).filter(({ name }) => saved.has(name));
    if (tables.length < saved.size) throw new Error("the backup holds tables that this version does not know");
    for (const [index, { name }] of tables.entries()) {
      onTable(name, index + 1, tables.length);
      const quoted = quoteName(name);
      // Triggers compute balances from movements: both are in the backup.
      await client.query(`alter table ${quoted} disable trigger user`);
      await load(paths.table(name), `${quoted} ${columnList(saved.get(name)!.columns)}`);
      await client.query(`alter table ${quoted} enable trigger user`);
    }
    for (const [name, value] of Object.entries(manifest.sequences)) {
      await client.query("select setval($1::text::regclass, $2)", [quoteName(name), value]);
    }
    await client.query(
      `create temporary table saved_jobs (identifier text, payload json, queue_name text, run_at timestamptz,
         max_attempts int, job_key text, priority int, flags jsonb) on commit drop`,
    );
    await load(paths.jobs, "saved_jobs");
    await client.query(
      `select graphile_worker.add_job(identifier, payload, queue_name, run_at, max_attempts, job_key, priority,
         case when flags is not null then array(select jsonb_object_keys(flags)) end)
       from saved_jobs order by ctid`,
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
