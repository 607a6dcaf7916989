// Writes a backup of the service: database, waiting jobs and stored files. The service may run meanwhile.
import { copyFile, mkdir, readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type pg from "pg";
import type { ObjectStorage } from "../../../api/kernel/storage/object-storage.ts";
import { openStorage } from "../../../api/kernel/storage/open-storage.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { Config } from "../../../program/config.ts";
import { withServiceDatabase } from "../../start/postgres/service-database.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { type BackupManifest, type BackupObject, backupPaths, removeBackup, writeManifest } from "./backup-format.ts";
import { writeLines } from "./compressed-lines.ts";
import { copyNewObjects } from "./copy-objects.ts";
import { dumpDatabase } from "./dump-database.ts";

export interface BackupOptions {
  config: Pick<Config, "database" | "disk" | "bucket">;
  /** Must not exist, or be empty. */
  folder: string;
  /** False for a bucket that has backups of its own. */
  withFiles: boolean;
  signal: AbortSignal;
  onProgress(line: string): void;
}

/** Returns the manifest, which is written last: a folder without one is no backup. A backup that fails or is aborted is
 *  removed. Throws CliError, StartError for a database that cannot be reached, the error of database or storage, or the
 *  signal's reason. */
export async function makeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { config, folder, withFiles } = options;
  const storage = withFiles ? await openStorage(config) : null;
  return withServiceDatabase(config, { mayCreate: false }, async (pool) => {
    const isNew = await makeEmptyFolder(folder);
    try {
      return await fillFolder(pool, storage, options);
    } catch (error) {
      await removeBackup(folder);
      // Others may have put something into it meanwhile.
      if (isNew) await rmdir(folder).catch(() => undefined);
      throw error;
    }
  });
}

async function fillFolder(
  pool: pg.Pool,
  storage: ObjectStorage | null,
  { config, folder, signal, onProgress }: BackupOptions,
): Promise<BackupManifest> {
  const copied = new Map<string, BackupObject>();
  const onCopied = (count: number) => onProgress(`files: ${count} copied`);
  // Files are copied before and after the database is read. Every file that the database names then was either there
  // before, or is new now.
  if (storage) await copyNewObjects(storage, folder, copied, { onCopied, signal });
  const client = await pool.connect();
  try {
    const dump = await dumpDatabase(client, folder, (name, number, of) => {
      signal.throwIfAborted();
      onProgress(`database: table ${number} of ${of}, ${name}`);
    });
    if (storage) await copyNewObjects(storage, folder, copied, { onCopied, signal });
    const objects = storage && {
      ...(await writeLines(backupPaths(folder).objectList, Readable.from(linesOf(copied)))),
      bytes: [...copied.values()].reduce((sum, { size }) => sum + size, 0),
    };
    await copyOperatorSecret(config.disk.dataDir, folder);
    return await writeManifest(folder, { version: packageJson.version, ...dump, objects });
  } finally {
    // Closed, because a failed backup may have left it in the middle of a COPY.
    client.release(true);
  }
}

function* linesOf(copied: ReadonlyMap<string, BackupObject>): Generator<string> {
  for (const object of copied.values()) yield `${JSON.stringify(object)}\n`;
}

/** Returns whether it was not there. */
async function makeEmptyFolder(folder: string): Promise<boolean> {
  let isNew: boolean;
  try {
    isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  } catch (cause) {
    throw new CliError("usage", `${folder} cannot be made: ${(cause as Error).message}.`, { cause });
  }
  if ((await readdir(folder)).length > 0) {
    throw new CliError("usage", `${folder} is not empty.`, { hint: "Name a new folder for each backup." });
  }
  await mkdir(backupPaths(folder).tables, { mode: 0o700 });
  return isNew;
}

/** The database holds only its hash. Without the file, the restored service makes another secret. */
async function copyOperatorSecret(dataDir: string, folder: string): Promise<void> {
  await copyFile(join(dataDir, "operator.env"), backupPaths(folder).operatorSecret).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    },
  );
}
