// The version before the newest migration, in a folder of its own, with this version's packages and models.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { makeDataFolder } from "../files/data-folder.ts";

export interface EarlierVersion {
  folder: string;
  /** Its commit, abbreviated; null if this checkout has no history: it is then a copy of this version. */
  commit: string | null;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Not needed by api and worker; models are linked. */
const LEFT_OUT = ["bench", "docs", "lab", "models", "test"];
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
  else await unpack(commit, folder, [".", ...LEFT_OUT.map((name) => `:!${name}`)]);
  await linkModels(commit, folder);
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

async function unpack(commit: string, folder: string, paths: readonly string[]): Promise<void> {
  const archive = spawn("git", ["archive", commit, "--", ...paths], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const unpacking = spawn("tar", ["-x", "-C", folder], { stdio: [archive.stdout, "inherit", "inherit"] });
  const [[archived], [unpacked]] = await Promise.all([once(archive, "exit"), once(unpacking, "exit")]);
  if (archived !== 0 || unpacked !== 0) throw new Error(`the commit ${commit} could not be unpacked`);
}

/** Links each file of `models/` in that commit to the file of today with the same content, wherever it is now, and
 *  unpacks those that have changed since. */
async function linkModels(commit: string | null, folder: string): Promise<void> {
  if (commit === null) return symlink(join(ROOT, "models"), join(folder, "models"));
  const today = new Map(await modelBlobs("HEAD"));
  const changed: string[] = [];
  for (const [hash, path] of await modelBlobs(commit)) {
    const target = today.get(hash);
    if (!target) {
      changed.push(path);
      continue;
    }
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(ROOT, target), join(folder, path));
  }
  await unpack(commit, folder, changed);
}

/** Hash and path of each file in `models/`. */
async function modelBlobs(commit: string): Promise<[string, string][]> {
  const { output } = await runCommand("git", ["ls-tree", "-r", commit, "models"], { cwd: ROOT });
  return output.split("\n").flatMap((line): [string, string][] => {
    const found = /^\d+ blob (\S+)\t(.+)$/.exec(line);
    return found ? [[found[1], found[2]]] : [];
  });
}

/** Links what is in a folder, but the names that are left out. */
async function linkAll(from: string, to: string, leftOut: readonly string[]): Promise<void> {
  for (const name of await readdir(from)) if (!leftOut.includes(name)) await symlink(join(from, name), join(to, name));
}
