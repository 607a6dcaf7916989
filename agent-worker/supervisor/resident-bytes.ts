// Memory of another process.
import { readFileSync } from "node:fs";

/** Bytes in memory, with what it shares with other processes; 0 where the system does not tell. Never throws. */
export function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    // Not Linux, or the process is gone.
    return 0;
  }
}
