// Files that a command was given.
import { readFile } from "node:fs/promises";
import { CliError } from "./cli-error.ts";

/** Bytes of a file. Throws CliError `no_input` with the reason if it cannot be read. */
export async function readInput(path: string): Promise<Uint8Array> {
  try {
    // Not a Buffer: its slice() shares memory, which code written for plain arrays does not expect.
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw inputError(path, error);
  }
}

/** CliError `no_input` that says why a file cannot be read; errors that are not the file system's come back as they
 *  are. */
export function inputError(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || !(error instanceof Error && "syscall" in error)) return error;
  const reasons: Record<string, string> = {
    ENOENT: "there is no such file",
    EISDIR: "it is a folder",
    EACCES: "its permissions forbid it",
  };
  return new CliError("no_input", `${path} cannot be read: ${reasons[code] ?? code}.`, { cause: error });
}

/** True if the bytes begin as an `.imx` bundle does. */
export function isImx(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0x49 && bytes[1] === 0x4d && bytes[2] === 0x58 && bytes[3] === 0;
}
