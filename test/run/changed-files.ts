// Finds the test files that a change affects: those that depend on a file that differs from the branch's base.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Reach } from "./reach.ts";

const execute = promisify(execFile);
const BASES = ["main", "origin/main"];
/** Everything depends on these. */
const CONCERNS_ALL = ["package.json", "package-lock.json", "tsconfig.json", ".taprc"];
/** Types, lint and structure hold for every file. */
const ALWAYS = ["test/checks.test.ts", "test/structure/"];

/** The given test files that reach a change. */
export async function onlyChanged(files: readonly string[], reach: Reach): Promise<string[]> {
  const changed = await changedPaths();
  if (changed.length === 0) return [];
  if (changed.some((path) => CONCERNS_ALL.includes(path))) return [...files];
  return files.filter(
    (file) =>
      ALWAYS.some((prefix) => file.startsWith(prefix)) ||
      changed.some((path) => {
        for (const target of reach(file)) {
          if (target === path || (target.endsWith("/") && path.startsWith(target))) return true;
        }
        return false;
      }),
  );
}

/** Paths that differ from where this branch left main, committed or not. */
async function changedPaths(): Promise<string[]> {
  const base = await mergeBase();
  const [differing, untracked] = await Promise.all([
    git("diff", "--name-only", base),
    git("ls-files", "--others", "--exclude-standard"),
  ]);
  return [...new Set(`${differing}\n${untracked}`.split("\n").filter(Boolean))];
}

async function mergeBase(): Promise<string> {
  for (const name of BASES) {
    const base = await git("merge-base", "HEAD", name).catch(() => "");
    if (base !== "") return base.trim();
  }
  return "HEAD";
}

async function git(...words: string[]): Promise<string> {
  return (await execute("git", words)).stdout;
}
