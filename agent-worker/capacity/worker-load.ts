// Load of a worker, by which LiveKit chooses between workers.
import { availableParallelism, loadavg } from "node:os";

/** Share of the session count in the load; the rest is the load of the machine. */
const SESSION_SHARE = 0.8;

/** 0 (idle) to 1 (full). Only the number of sessions makes a worker full. A machine that is busy with other work is
 *  chosen last, but still accepts a session that no other worker can take. */
export function workerLoad(activeSessions: number, maxSessions: number, loadAverage = loadavg()[0]): number {
  if (activeSessions >= maxSessions) return 1;
  const machineLoad = Math.min(1, loadAverage / availableParallelism());
  return SESSION_SHARE * (activeSessions / maxSessions) + (0.99 - SESSION_SHARE) * machineLoad;
}
