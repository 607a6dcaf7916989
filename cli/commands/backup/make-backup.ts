// Writes a backup of the service: database, waiting jobs and stored files. The service may run meanwhile.
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { openStorage } from "../../../api/kernel/storage/open-storage.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { Config } from "../../../program/config.ts";
import { withServiceDatabase } from "../../start/postgres/service-database.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { type BackupManifest, type BackupObject, backupPaths, writeManifest } from "./backup-format.ts";
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

/** Returns the manifest, which is written last: a folder without one is no backup. Throws CliError, StartError for a
 *  database that cannot be reached, or the error of database or storage. */
export async function makeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { config, folder, withFiles, signal, onProgress } = options;
  const storage = withFiles ? await openStorage(config) : null;
  return withServiceDatabase(config, { mayCreate: false }, async (pool) => {
    await makeEmptyFolder(folder);
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
  });
}

function* linesOf(copied: ReadonlyMap<string, BackupObject>): Generator<string> {
  for (const object of copied.values()) yield `${JSON.stringify(object)}\n`;
}

async function makeEmptyFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new CliError("usage", `${folder} cannot be made: ${(cause as Error).message}.`, { cause });
  }
  if ((await readdir(folder)).length > 0) {
    throw new CliError("usage", `${folder} is not empty.`, { hint: "Name a new folder for each backup." });
  }
  await mkdir(backupPaths(folder).tables, { mode: 0o700 });
}

/** The database holds only its hash. Without the file, the restored service makes another secret. */
async function copyOperatorSecret(dataDir: string, folder: string): Promise<void> {
  await copyFile(join(dataDir, "operator.env"), backupPaths(folder).operatorSecret).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    },
  );
}
