// A server that outlives the process that started it. A record file lets the next start adopt or stop it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { identifyProcess, isSameProcess, type ProcessIdentity } from "./process-identity.ts";

export interface DaemonRecord extends ProcessIdentity {
  /** Hash of the settings it was started with; other settings need a restart. */
  fingerprint: string;
}

export interface DaemonOptions {
  file: string;
  args: string[];
  recordFile: string;
  /** Both outputs are appended here. */
  logFile: string;
  fingerprint: string;
}

const POLL_MS = 50;

/** Starts the program in a process group of its own and records it. Throws if it cannot be started at all. */
export async function startDaemon(options: DaemonOptions): Promise<DaemonRecord> {
  const log = openSync(options.logFile, "a", 0o600);
  try {
    const child = spawn(options.file, options.args, { detached: true, stdio: ["ignore", log, log], cwd: "/" });
    await once(child, "spawn");
    child.unref();
    const record = { ...(await identifyProcess(child.pid ?? 0)), fingerprint: options.fingerprint };
    await writeFile(options.recordFile, JSON.stringify(record), { mode: 0o600 });
    return record;
  } finally {
    closeSync(log);
  }
}

/** The daemon of this record file if it still runs, else null. Never throws. */
export async function findDaemon(recordFile: string): Promise<DaemonRecord | null> {
  try {
    const record = JSON.parse(await readFile(recordFile, "utf8")) as DaemonRecord;
    return (await isSameProcess(record)) ? record : null;
  } catch {
    return null; // No record, or an incomplete one.
  }
}

/** Sends SIGTERM at once and again after `repeatAfterMs` (servers take the second as "now"), SIGKILL after three times
 *  that. Resolves when the process is gone. Idempotent. */
export async function stopDaemon(recordFile: string, repeatAfterMs: number): Promise<void> {
  const record = await findDaemon(recordFile);
  if (record) {
    for (const signal of ["SIGTERM", "SIGTERM", "SIGKILL"] as const) {
      try {
        process.kill(record.pid, signal);
      } catch {
        break; // It ended between the check and the signal.
      }
      if (await isGoneWithin(record, signal === "SIGTERM" ? repeatAfterMs : 5000)) break;
    }
  }
  await rm(recordFile, { force: true });
}

async function isGoneWithin(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (!(await isSameProcess(identity))) return true;
    await delay(POLL_MS);
  }
  return false;
}
