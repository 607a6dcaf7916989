// CPU time that this process has used, with the children that have ended.
import { readFileSync } from "node:fs";

/** Clock ticks a second in /proc (USER_HZ). */
const TICKS = 100;

/** In seconds. Without /proc the time of the children is missing. */
export function cpuSeconds(): number {
  const stat = readStat();
  if (stat === null) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // The name of the program stands in brackets and may hold spaces. Behind it, fields 11 to 14 are utime, stime, cutime
  // and cstime.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS;
}

function readStat(): string | null {
  try {
    return readFileSync("/proc/self/stat", "utf8");
  } catch {
    return null;
  }
}
