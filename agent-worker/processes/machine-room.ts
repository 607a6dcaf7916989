// Whether the machine has room to make another process ready without taking anything from running sessions.

import { readFileSync } from "node:fs";
import { cpus, freemem } from "node:os";

/** Idle share of all cores that must be left, 0..1. */
const MIN_IDLE_SHARE = 0.15;
/** Memory of a process with a session, with some to spare. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;

interface CpuTimes {
  idle: number;
  total: number;
}

/** Measures the time between two calls. */
export class MachineRoom {
  #before = readCpuTimes();

  /** Idle share of all cores since the last call, 0..1; 1 if no time has passed. */
  idleShare(): number {
    const now = readCpuTimes();
    const total = now.total - this.#before.total;
    const share = total > 0 ? (now.idle - this.#before.idle) / total : 1;
    this.#before = now;
    return share;
  }

  /** Whether a process may be made ready now, by what the machine did since the last call. */
  hasRoom(): boolean {
    return this.idleShare() >= MIN_IDLE_SHARE && availableMemoryBytes() >= MIN_FREE_BYTES;
  }
}

function readCpuTimes(): CpuTimes {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}

/** Memory that processes can still get, including what the page cache would give back. */
function availableMemoryBytes(): number {
  try {
    const kilobytes = /^MemAvailable:\s*(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return freemem();
}
