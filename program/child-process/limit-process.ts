// Limits that a process sets itself, for code that may swell, hang or fill the disk.
import { Worker } from "node:worker_threads";

/** Limits of one process. Absent ones do not apply. */
export interface ProcessLimits {
  /** Resident memory. */
  maxMemoryBytes?: number;
  /** Time from now. */
  maxMs?: number;
  /** A file that it writes. */
  file?: { path: string; maxBytes: number };
  /** Whether it ends as soon as its parent has ended. */
  endsWithParent?: boolean;
}

const WATCH_EVERY_MS = 50;

/** The watching thread. Text, because a loader or bundler would rewrite a function. */
const WATCHER = `
const { statSync, writeSync } = require("node:fs");
const { limits, parentPid, everyMs } = require("node:worker_threads").workerData;
const { maxMemoryBytes, maxMs, file, endsWithParent } = limits;
const startedMs = performance.now();

function exceededLimit() {
  if (maxMemoryBytes && process.memoryUsage.rss() > maxMemoryBytes) {
    return "it used more than " + Math.round(maxMemoryBytes / 1e6) + " MB of memory";
  }
  if (maxMs && performance.now() - startedMs > maxMs) return "it took longer than " + maxMs / 1000 + " s";
  if (file && (statSync(file.path, { throwIfNoEntry: false })?.size ?? 0) > file.maxBytes) {
    return "it wrote more than " + Math.round(file.maxBytes / 1e6) + " MB";
  }
  if (endsWithParent && process.ppid !== parentPid) return "its parent has ended";
}

setInterval(() => {
  const exceeded = exceededLimit();
  if (!exceeded) return;
  try {
    writeSync(2, "\\n" + exceeded + "\\n");
  } catch {
    // Standard error is closed, or its reader is behind.
  }
  try {
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.kill(process.pid, "SIGKILL");
  }
}, everyMs);
`;

/** Kills this process, and the group that it leads, as soon as it exceeds a limit; the last line of standard error then
 *  says which. A thread does the watching: native libraries allocate outside the limits of the heap, and block the main
 *  thread while they work or hang. */
export function limitProcess(limits: ProcessLimits): void {
  const workerData = { limits, parentPid: process.ppid, everyMs: WATCH_EVERY_MS };
  new Worker(WATCHER, { eval: true, execArgv: [], workerData }).unref();
}
