// Checks an output file before the work begins.
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../terminal/cli-error.ts";

/** Throws CliError `usage` unless the file can be created: its folder must exist and be writable. */
export async function assertWritable(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw new CliError("usage", `${path} cannot be written: the folder ${folder} is missing or read-only.`, { cause });
  }
  const existing = await stat(path).catch(() => null);
  if (existing?.isDirectory()) throw new CliError("usage", `${path} cannot be written: it is a folder.`);
}
