// Memory of processes, from /proc of Linux.
import { readFile } from "node:fs/promises";

/** Proportional set size of the processes together, MB: memory that several share is divided among them. A process that
 *  has ended counts 0, and so does one that may not be read. */
export async function readPssMb(pids: readonly number[]): Promise<number> {
  const all = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "")));
  const kilobytes = all.reduce((sum, text) => sum + Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0), 0);
  return Math.round(kilobytes / 102.4) / 10;
}

/** Resident set size of the processes together, MB: memory that several share counts for each. A process that has ended
 *  counts 0. */
export async function readRssMb(pids: readonly number[]): Promise<number> {
  const all = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, "utf8").catch(() => "")));
  const kilobytes = all.reduce((sum, text) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0), 0);
  return Math.round(kilobytes / 102.4) / 10;
}
