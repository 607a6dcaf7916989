// Restores a backup into an empty database and its storage. The schema is brought to the backup's state, filled, and
// then migrated to this version.
import { constants, copyFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type pg from "pg";
import { createDatabase } from "../../../api/kernel/database/database.ts";
import { migrate } from "../../../api/kernel/database/migrate.ts";
import { installJobTables } from "../../../api/kernel/jobs/job-runner.ts";
import { openStorage } from "../../../api/kernel/storage/open-storage.ts";
import { MIGRATIONS } from "../../../api/migrations/migrations.ts";
import type { Config } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { withServiceDatabase } from "../../start/postgres/service-database.ts";
import { findRunningService } from "../../start/processes/service-record.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { type BackupManifest, backupPaths, readManifest } from "./backup-format.ts";
import { assertUndamaged, restoreObjects } from "./copy-objects.ts";
import { findFilledTable, loadDatabase } from "./load-database.ts";

export interface RestoreOptions {
  config: Pick<Config, "database" | "disk" | "bucket">;
  /** Folder of the backup. */
  folder: string;
  signal: AbortSignal;
  onProgress(line: string): void;
}

/** Checks the whole backup before the database is changed. Throws CliError, StartError for a database that cannot be
 *  reached, or the error of database or storage. */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { config, folder, signal, onProgress } = options;
  const dataDir = resolve(config.disk.dataDir);
  const running = await findRunningService(dataDir);
  if (running) {
    throw new CliError("unavailable", `The service runs on ${dataDir} (${running}).`, {
      hint: "Stop it first, or set AVATAR_DATA_DIR to another folder.",
    });
  }
  const manifest = await readManifest(folder);
  assertKnown(manifest);
  await checkFiles(folder, manifest, onProgress);
  return withServiceDatabase(config, { mayCreate: true }, async (pool) => {
    await prepareSchema(pool, manifest);
    if (manifest.objects) {
      const { rows } = manifest.objects;
      const storage = await openStorage(config);
      await restoreObjects(storage, folder, { onStored: (count) => onProgress(`files: ${count} of ${rows}`), signal });
    }
    const client = await pool.connect();
    try {
      await loadDatabase(client, folder, manifest, (name, number, of) => {
        signal.throwIfAborted();
        onProgress(`database: table ${number} of ${of}, ${name}`);
      });
    } finally {
      client.release();
    }
    await migrate(createDatabase(pool), MIGRATIONS);
    await restoreOperatorSecret(dataDir, folder);
    return manifest;
  });
}

function assertKnown({ migrations, version }: BackupManifest): void {
  const unknown = migrations.filter((name) => !MIGRATIONS.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  throw new CliError(
    "no_input",
    `The backup is of a later version (${version}): this one does not know ${unknown[0]}.`,
    {
      hint: "Restore it with that version.",
    },
  );
}

async function checkFiles(folder: string, manifest: BackupManifest, onProgress: (line: string) => void): Promise<void> {
  onProgress("checking the backup");
  const paths = backupPaths(folder, manifest.format);
  for (const { name, sha256 } of manifest.tables) await assertUndamaged(paths.table(name), sha256);
  await assertUndamaged(paths.jobs, manifest.jobs.sha256);
  if (manifest.objects) await assertUndamaged(paths.objectList, manifest.objects.sha256);
}

/** Makes the tables as they were when the backup was made. Throws CliError `usage` unless the database is empty. */
async function prepareSchema(pool: pg.Pool, { migrations }: BackupManifest): Promise<void> {
  const logger = createLogger({ level: "silent", name: "avatar" });
  const client = await pool.connect();
  try {
    const filled = await findFilledTable(client);
    if (filled !== null) throw notEmpty(`the table ${filled} holds rows`);
    const { rows } = await client.query<{ found: string | null }>(
      "select to_regclass('schema_migrations')::text as found",
    );
    if (rows[0].found !== null) {
      const applied = await client.query<{ name: string }>("select name from schema_migrations");
      const later = applied.rows.find(({ name }) => !migrations.includes(name));
      if (later) throw notEmpty(`its tables are of a later version than the backup (${later.name})`);
    }
  } finally {
    client.release();
  }
  const wanted = MIGRATIONS.filter(({ name }) => migrations.includes(name));
  await migrate(createDatabase(pool), wanted);
  await installJobTables(pool, logger);
}

function notEmpty(why: string): CliError {
  return new CliError("usage", `The database is not empty: ${why}.`, {
    hint: "Restore into a new database (DATABASE_URL) or a new data folder (AVATAR_DATA_DIR).",
  });
}

/** Keeps a secret that is there already. */
async function restoreOperatorSecret(dataDir: string, folder: string): Promise<void> {
  const { operatorSecret } = backupPaths(folder);
  await copyFile(operatorSecret, join(dataDir, "operator.env"), constants.COPYFILE_EXCL).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
    },
  );
}
