// How busy a worker is, as LiveKit compares workers.
import { availableParallelism, loadavg } from "node:os";

/** Share of the load that the sessions make up; the rest is the machine's. */
const SESSION_SHARE = 0.8;

/** 0 (idle) to 1 (full). Only the number of sessions fills a worker: a machine that is busy with something else is
 *  chosen last, but never refuses what no other worker can take. */
export function workerLoad(activeSessions: number, maxSessions: number, loadAverage = loadavg()[0]): number {
  if (activeSessions >= maxSessions) return 1;
  const machineLoad = Math.min(1, loadAverage / availableParallelism());
  return SESSION_SHARE * (activeSessions / maxSessions) + (0.99 - SESSION_SHARE) * machineLoad;
}
