// A lock between processes: a file that names its holder. A holder that died does not block the next one.
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { identifyProcess, isSameProcess, type ProcessIdentity } from "./process-identity.ts";

export interface FileLockOptions {
  /** Gives up after this long. */
  timeoutMs: number;
  /** Called once with the process id of the holder if another process holds the lock. */
  onWait?: (holderPid: number) => void;
}

const RETRY_MS = 50;

/** Runs `work` while holding the lock file; removes it afterwards, also when `work` throws. Throws Error on timeout. */
export async function withFileLock<T>(path: string, options: FileLockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + options.timeoutMs;
  let hasReported = false;
  while (!(await tryToLock(path))) {
    const holder = await readHolder(path);
    if (holder && !(await isSameProcess(holder))) {
      await rm(path, { force: true });
      continue;
    }
    if (Date.now() > deadline) throw new Error(`${path} is still held by process ${holder?.pid ?? "unknown"}`);
    if (holder && !hasReported) {
      hasReported = true;
      options.onWait?.(holder.pid);
    }
    await delay(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Creates the lock with its content in one step: a file beside it is linked to its name, which fails if that is taken.
 *  */
async function tryToLock(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(own, JSON.stringify(await identifyProcess(process.pid)), { mode: 0o600 });
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** The holder, or null when the lock was just released. */
async function readHolder(path: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
