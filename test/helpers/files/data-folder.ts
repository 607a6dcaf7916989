// A folder for a test's servers and files. An unprivileged user can access it, because PostgreSQL may run as one.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";

/** Makes a folder (mode 0755) that is removed when the test ends, after the teardowns that were added later. */
export async function makeDataFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-data-"));
  await chmod(folder, 0o755);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
