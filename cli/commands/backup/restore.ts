// `avatar restore <folder>`: a backup into an empty database and its storage.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";

export function registerRestore(program: Command, environment: Environment): void {
  program
    .command("restore")
    .description("Restore a backup into an empty database or data folder, while the service is stopped")
    .argument("<folder>", "folder of the backup")
    .option("--json", "print one object: folder, created_at, version, rows, jobs, files")
    .action((folder: string, flags: { json?: boolean }) => restore(environment, folder, flags));
}

async function restore(environment: Environment, folder: string, { json }: { json?: boolean }): Promise<void> {
  const { restoreBackup } = await import("./restore-backup.ts");
  const { parseConfig } = await import("../../../program/config.ts");
  const status = openStatusLine(json === true);
  const manifest = await interruptible(
    (signal) =>
      restoreBackup({
        config: parseConfig(environment, ["database", "disk", "bucket"]),
        folder,
        signal,
        onProgress: (line) => status.show(line),
      }),
    "The database holds no rows; run the command again.",
  ).finally(() => status.clear());
  const { created_at, version, tables, jobs, objects } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (json) return writeJson({ folder, created_at, version, rows, jobs: jobs.rows, files: objects?.rows ?? null });
  const stored = objects ? `${objects.rows} files` : "no files: its bucket must still hold them";
  process.stdout.write(
    `Restored the backup of ${created_at}: ${rows} rows, ${jobs.rows} waiting jobs, ${stored}.\nStart the service now.\n`,
  );
}
