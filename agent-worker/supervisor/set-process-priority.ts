// Scheduling priority of a child process with all its threads.
import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Lowest and normal scheduling priority. Source: setpriority(2). */
const NICENESS = { lowest: 19, normal: 0 } as const;
/** Bit of CAP_SYS_NICE. Source: capabilities(7). */
const CAP_SYS_NICE = 1n << 23n;

let mayRaise: boolean | undefined;

/** Sets the priority of a process. Does nothing where this process could not raise it again (it needs CAP_SYS_NICE,
 *  which root usually has): a process would keep the lowest priority for its whole session. Never throws. */
export function setProcessPriority(pid: number, priority: keyof typeof NICENESS): void {
  mayRaise ??= hasNiceCapability();
  if (!mayRaise) return;
  try {
    setPriority(pid, NICENESS[priority]);
    // On Linux each thread has a priority of its own, and new threads inherit that of the thread that starts them.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), NICENESS[priority]);
  } catch {
    // The process or one of its threads has just ended.
  }
}

function hasNiceCapability(): boolean {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return effective !== undefined && (BigInt(`0x${effective}`) & CAP_SYS_NICE) !== 0n;
  } catch {
    return false; // Not Linux.
  }
}
