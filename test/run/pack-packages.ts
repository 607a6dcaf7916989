// Makes the archives of the packages before the tests that install them.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("../../lab/packages.ts", import.meta.url));

/** In a process of its own, because the compiler of declarations takes memory. Unchanged archives are not made again.
 *  Throws what the process prints if it fails. */
export async function packPackages(): Promise<void> {
  await pack("--no-command");
}

/** As `packPackages`, the archive of the command and those of its models and pages. */
export async function packCommand(): Promise<void> {
  await pack("--only", "cli");
}

async function pack(...words: readonly string[]): Promise<void> {
  const all = ["--import", "tsx", PROGRAM, "--no-records", ...words];
  await promisify(execFile)(process.execPath, all).catch((error: { stderr: string }) => {
    throw new Error(`The packages can't be packed.\n${error.stderr}`);
  });
}
