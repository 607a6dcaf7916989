// Distinguishes a process from a later one with the same process id.
import { readFile } from "node:fs/promises";
import { runCommand } from "./run-command.ts";

export interface ProcessIdentity {
  pid: number;
  /** Start time in the notation of the operating system; only compared for equality. Empty if it was unknown: matches
   *  no process. */
  startedAt: string;
}

/** True if a process with this number runs (a zombie does not count). Never throws. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readStartTime(pid)) !== "";
}

/** The identity of a running process; `startedAt` is empty when there is no such process. Never throws. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity> {
  return { pid, startedAt: await readStartTime(pid) };
}

/** True if that very process still runs; false for a zombie and for an identity without a start time. Never throws. */
export async function isSameProcess(identity: ProcessIdentity): Promise<boolean> {
  return identity.startedAt !== "" && identity.startedAt === (await readStartTime(identity.pid));
}

async function readStartTime(pid: number): Promise<string> {
  if (process.platform !== "linux") {
    const { status, output } = await runCommand("ps", ["-o", "lstart=", "-p", String(pid)]);
    return status === 0 ? output.trim() : "";
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The program's name comes second, in parentheses, and may hold spaces: fields are counted from there. State is
    // field 3, start time (clock ticks since boot) field 22. See proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "" : fields[19];
  } catch {
    return "";
  }
}
