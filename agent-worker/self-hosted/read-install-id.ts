// The name of this installation in the usage of its account.
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FORM = /^[0-9a-f]{32}$/;

/** 32 hex digits, the same at every start; others at each start if the folder cannot be written. */
export async function readInstallId(dataDir: string): Promise<string> {
  const path = join(dataDir, "install-id");
  const kept = await readFile(path, "utf8").catch(() => "");
  if (FORM.test(kept.trim())) return kept.trim();
  const made = randomBytes(16).toString("hex");
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(path, `${made}\n`, { mode: 0o600 });
  } catch {
    // It only helps to tell installations apart.
  }
  return made;
}
