// `avatar backup <folder>`: a copy of database and stored files, while the service runs.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";

interface BackupFlags {
  files: boolean;
  json?: boolean;
}

export function registerBackup(program: Command, environment: Environment): void {
  program
    .command("backup")
    .description(
      "Back up the service, which may run: database, jobs and stored files. It holds secrets: keep it private",
    )
    .argument("<folder>", "new folder for the backup")
    .option("--no-files", "leave the stored files out, for a bucket that has backups of its own")
    .option("--json", "print one object: folder, created_at, tables, rows, jobs, files, file_bytes")
    .action((folder: string, flags: BackupFlags) => backup(environment, folder, flags));
}

async function backup(environment: Environment, folder: string, { files, json }: BackupFlags): Promise<void> {
  const { makeBackup } = await import("./make-backup.ts");
  const { parseConfig } = await import("../../../program/config.ts");
  const status = openStatusLine(json === true);
  const manifest = await interruptible((signal) =>
    makeBackup({
      config: parseConfig(environment, ["database", "disk", "bucket"]),
      folder,
      withFiles: files,
      signal,
      onProgress: (line) => status.show(line),
    }),
  ).finally(() => status.clear());
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { objects, jobs, tables, created_at } = manifest;
  if (json) {
    return writeJson({
      folder,
      created_at,
      tables: tables.length,
      rows,
      jobs: jobs.rows,
      files: objects?.rows ?? null,
      file_bytes: objects?.bytes ?? null,
    });
  }
  const stored = objects ? `${objects.rows} files (${(objects.bytes / 1e6).toFixed(1)} MB)` : "no files";
  process.stdout.write(
    `${folder}: ${rows} rows of ${tables.length} tables, ${jobs.rows} waiting jobs, ${stored}.\n` +
      `It holds keys and secrets: keep it private. To restore it: avatar restore ${folder}\n`,
  );
}
