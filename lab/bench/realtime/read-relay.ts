// CPU of the relay alone, with its process of WebRTC calls.
import { type ProcessCpu, readProcessTree } from "../cpu-time.ts";

/** For `cpuBetween`. */
export function readRelay(relayPid: number): Promise<ProcessCpu[]> {
  return readProcessTree(relayPid);
}
