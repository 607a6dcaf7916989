// What git says about the repository.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const cwd = fileURLToPath(new URL("../..", import.meta.url));

/** The lines that a git command prints, run in the root of the repository. Rejects if it fails. */
export async function gitLines(...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)("git", args, { cwd, maxBuffer: 64e6 });
  return stdout.trim().split("\n");
}
