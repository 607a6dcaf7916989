// Waits until a process has no child processes: those that an api needed for a creation end two minutes later.
import { setTimeout as delay } from "node:timers/promises";
import { readProcessTree } from "../cpu-time.ts";

const TIMEOUT_MS = 150_000;
const POLL_MS = 500;

/** Resolves with true once the process has no children, and with false after `timeoutMs` (default 150,000). */
export async function waitUntilAlone(pid: number, timeoutMs = TIMEOUT_MS): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while ((await readProcessTree(pid)).length > 1) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
