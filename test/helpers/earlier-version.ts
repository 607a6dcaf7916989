// The version before the newest migration, in a folder of its own, with this version's packages and models.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { runCommand } from "../../cli/start/run-command.ts";
import { makeDataFolder } from "./data-folder.ts";

export interface EarlierVersion {
  folder: string;
  /** Its commit, abbreviated; null if this checkout has no history: it is then a copy of this version. */
  commit: string | null;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Not needed by api and worker; models are linked. */
const LEFT_OUT = ["bench", "docs", "models", "test"];
const MIGRATIONS = "api/migrations";
/** Older ones may need other packages. */
const LATEST_COMMITS = 150;
/** Bundles of this version are in there. */
const CACHE = ".cache";

/** Makes the folder, which is removed when the test ends. */
export async function makeEarlierVersion(t: Test): Promise<EarlierVersion> {
  const folder = await makeDataFolder(t);
  const commit = await findCommit();
  if (commit === null) await linkAll(ROOT, folder, [...LEFT_OUT, "node_modules"]);
  else await unpack(commit, folder);
  await symlink(join(ROOT, "models"), join(folder, "models"));
  await mkdir(join(folder, "node_modules"));
  await linkAll(join(ROOT, "node_modules"), join(folder, "node_modules"), [CACHE]);
  return { folder, commit };
}

/** The commit before the one that added the newest migration, or the commit before this one if the former is not in
 *  the history or too old to run with the packages of today. Null without history. */
async function findCommit(): Promise<string | null> {
  const git = async (...args: string[]): Promise<string | null> => {
    const { status, output } = await runCommand("git", args, { cwd: ROOT });
    return status === 0 && output.trim() !== "" ? output.trim() : null;
  };
  const added = await git(
    "log",
    "-1",
    "--format=%h",
    "--diff-filter=A",
    `HEAD~${LATEST_COMMITS}..HEAD`,
    "--",
    MIGRATIONS,
  );
  const before = added && (await git("rev-parse", "--short", `${added}~1`));
  return before ?? git("rev-parse", "--short", "HEAD~1");
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = spawn("git", ["archive", commit, "--", ".", ...LEFT_OUT.map((name) => `:!${name}`)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const unpacking = spawn("tar", ["-x", "-C", folder], { stdio: [archive.stdout, "inherit", "inherit"] });
  const [[archived], [unpacked]] = await Promise.all([once(archive, "exit"), once(unpacking, "exit")]);
  if (archived !== 0 || unpacked !== 0) throw new Error(`the commit ${commit} could not be unpacked`);
}

/** Links what is in a folder, but the names that are left out. */
async function linkAll(from: string, to: string, leftOut: readonly string[]): Promise<void> {
  for (const name of await readdir(from)) if (!leftOut.includes(name)) await symlink(join(from, name), join(to, name));
}
