// CPU time of processes, from /proc of Linux.
import { readdir, readFile } from "node:fs/promises";

export interface ProcessCpu {
  pid: number;
  parentPid: number;
  /** User and system time since its start, ms. */
  cpuMs: number;
}

/** Clock ticks of /proc are 10 ms on every Linux that Node runs on (USER_HZ is 100). */
const TICK_MS = 10;

/** CPU time of every process that runs now. Empty where there is no /proc. */
export async function readProcesses(): Promise<ProcessCpu[]> {
  const entries = await readdir("/proc").catch(() => []);
  const all = await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map((name) => readCpu(Number(name))));
  return all.filter((cpu) => cpu !== null);
}

/** CPU time of a process and each of its descendants that runs now. Empty where there is no /proc. */
export async function readProcessTree(rootPid: number): Promise<ProcessCpu[]> {
  return treeOf(await readProcesses(), [rootPid]);
}

/** The processes with these ids, and all their descendants, without those of `except` and their descendants. */
export function treeOf(
  all: readonly ProcessCpu[],
  rootPids: readonly number[],
  except: readonly number[] = [],
): ProcessCpu[] {
  const tree = all.filter(({ pid }) => rootPids.includes(pid) && !except.includes(pid));
  // The list grows during the loop: descendants are appended.
  for (const { pid } of tree) {
    tree.push(...all.filter((each) => each.parentPid === pid && !except.includes(each.pid) && !tree.includes(each)));
  }
  return tree;
}

/** CPU time that the processes of the later reading used since the earlier one, ms. A process that is only in the
 *  later one counts from its start. */
export function cpuBetween(before: readonly ProcessCpu[], after: readonly ProcessCpu[]): number {
  return usedBetween(before, after).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** The process of the later tree that used the most CPU time between two readings, with that time. */
export function busiestProcess(before: readonly ProcessCpu[], after: readonly ProcessCpu[]): ProcessCpu | null {
  return usedBetween(before, after).sort((a, b) => b.cpuMs - a.cpuMs)[0] ?? null;
}

function usedBetween(before: readonly ProcessCpu[], after: readonly ProcessCpu[]): ProcessCpu[] {
  return after.map((cpu) => ({
    ...cpu,
    cpuMs: cpu.cpuMs - (before.find(({ pid }) => pid === cpu.pid)?.cpuMs ?? 0),
  }));
}

async function readCpu(pid: number): Promise<ProcessCpu | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // Fields are counted from after the name, which may hold spaces; see proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parentPid: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  } catch {
    return null; // It ended while the list was read.
  }
}
