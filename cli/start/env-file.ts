// Files of `KEY=value` lines that a shell can read: secrets and addresses for the next start and for other commands.
import { readFile, rename, writeFile } from "node:fs/promises";

/** Reads a file of `KEY=value` lines; comments and blank lines are skipped. An absent file gives an empty record.
 *  Throws on any other file-system error. */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
  const values: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const match = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim());
    if (match) values[match[1]] = match[2];
  }
  return values;
}

/** Writes the file with mode 0600, atomically (temporary file, then rename). Throws RangeError for a value that needs
 *  quoting. */
export async function writeEnvFile(path: string, comment: string, values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    if (/[\s'"$`\\]/.test(value)) throw new RangeError(`${key} holds a character that an env file cannot`);
  }
  const lines = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  const neighbour = `${path}.${process.pid}.new`;
  await writeFile(neighbour, `# ${comment}\n${lines.join("\n")}\n`, { mode: 0o600 });
  await rename(neighbour, path);
}
