// Fetches packages from npm into the folder of this program.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand } from "../../start/processes/run-command.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";

export interface InstallOptions {
  /** Folder that gets `node_modules`. */
  root: string;
  /** With versions. */
  packages: readonly string[];
  environment: Environment;
  signal: AbortSignal;
}

const TIMEOUT_MS = 600_000;
/** npm takes back what it has half installed. */
const GRACE_MS = 10_000;
/** Nothing is noted in the program's own list, no script of the packages is run, and npm asks no questions. */
const FLAGS = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
const LAST_LINES = 3;

/** Throws CliError unavailable with npm's own words, and the signal's reason. */
export async function installPackages({ root, packages, environment, signal }: InstallOptions): Promise<void> {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--prefix", root, ...FLAGS, ...packages];
  const { status, output } = await runCommand(npm, args, {
    cwd: root,
    env: environment,
    timeoutMs: TIMEOUT_MS,
    signal,
    graceMs: GRACE_MS,
  });
  signal.throwIfAborted();
  if (status === 0) return;
  const last = output.trim().split("\n").slice(-LAST_LINES).join("\n");
  throw new CliError("unavailable", `npm could not install ${packages.join(" and ")}.\n${last}`.trimEnd(), {
    code: "NPM_FAILED",
    hint: `As it would be by hand: npm install --prefix ${root} ${packages.join(" ")}`,
  });
}

/** The nearest folder above a file that has a package.json. Throws if there is none. */
export function findPackageRoot(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`no package.json above ${file}`);
  }
}
