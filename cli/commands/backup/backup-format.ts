// What a backup is made of: a folder with the compressed rows of each table, the waiting jobs, all objects, and a
// manifest that is written last.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CliError } from "../../terminal/cli-error.ts";

/** Counts changes that an earlier version could not read. Format 1 had rows and jobs as lines of JSON. */
const FORMAT = 2;
const MANIFEST_FILE = "manifest.json";
const OWNER_ONLY = 0o600;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A file of lines. */
const linesSchema = z.object({ rows: z.int().min(0), sha256 });

const tableSchema = linesSchema.extend({ name: z.string(), columns: z.array(z.string()).min(1) });
export type BackupTable = z.infer<typeof tableSchema>;

const manifestSchema = z.object({
  format: z.literal([1, FORMAT]),
  /** Version of the service that made it; for people. */
  version: z.string(),
  /** State of the database. Objects that were stored a moment later may be in the backup, too. */
  created_at: z.iso.datetime(),
  /** Migrations that the database had, in order. */
  migrations: z.array(z.string()),
  tables: z.array(tableSchema),
  /** Last values of sequences that were used. */
  sequences: z.record(z.string(), z.int()),
  jobs: linesSchema,
  /** Null if the files were left out. */
  objects: linesSchema.extend({ bytes: z.int().min(0) }).nullable(),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

/** A line of the list of objects. */
export const backupObjectSchema = z.object({ key: z.string(), size: z.int().min(0), sha256 });
export type BackupObject = z.infer<typeof backupObjectSchema>;

/** Paths in the folder of a backup. */
export const backupPaths = (folder: string, format: BackupManifest["format"] = FORMAT) => ({
  tables: join(folder, "database"),
  table: (name: string) => join(folder, "database", `${name}.${format === 1 ? "ndjson" : "copy"}.gz`),
  jobs: join(folder, `jobs.${format === 1 ? "ndjson" : "copy"}.gz`),
  objectList: join(folder, "objects.ndjson.gz"),
  objects: join(folder, "objects"),
  object: (key: string) => join(folder, "objects", key),
  operatorSecret: join(folder, "operator.env"),
});

/** Removes what a backup writes, and nothing else. */
export async function removeBackup(folder: string): Promise<void> {
  const { tables, jobs, objectList, objects, operatorSecret } = backupPaths(folder);
  for (const path of [tables, jobs, objectList, objects, operatorSecret, join(folder, MANIFEST_FILE)]) {
    await rm(path, { recursive: true, force: true });
  }
}

export async function writeManifest(folder: string, content: Omit<BackupManifest, "format">): Promise<BackupManifest> {
  const manifest: BackupManifest = { format: FORMAT, ...content };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(join(folder, MANIFEST_FILE), text, { mode: OWNER_ONLY, flag: "wx" });
  return manifest;
}

/** Throws CliError `no_input` if the folder holds no complete backup that this version can read. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(join(folder, MANIFEST_FILE), "utf8"));
  } catch (cause) {
    throw new CliError("no_input", `${folder} holds no complete backup: ${MANIFEST_FILE} is missing or broken.`, {
      hint: "Name the folder that `avatar backup` wrote. An interrupted backup has no manifest: make another one.",
      cause,
    });
  }
  const parsed = manifestSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const format = z.object({ format: z.int() }).safeParse(content);
  const isNewer = format.success && format.data.format > FORMAT;
  throw new CliError(
    "no_input",
    `The manifest of ${folder} cannot be used: ${describeProblem(parsed.error, isNewer)}.`,
    {
      hint: isNewer ? "Restore it with the version that made it, or a later one." : undefined,
    },
  );
}

function describeProblem(error: z.ZodError, isNewer: boolean): string {
  if (isNewer) return "a later version wrote it";
  const [issue] = error.issues;
  return `${issue.path.join(".") || "it"}: ${issue.message}`;
}
