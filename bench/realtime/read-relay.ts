// CPU of the relay alone: it is one process.
import { type ProcessCpu, readProcesses } from "../cpu-time.ts";

/** For `cpuBetween`. */
export async function readRelay(relayPid: number): Promise<ProcessCpu[]> {
  return (await readProcesses()).filter(({ pid }) => pid === relayPid);
}
