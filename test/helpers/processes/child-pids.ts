// The child processes of this process, by command line.
import { readFileSync } from "node:fs";

/** Ids of this process's children with `name` in their command line. Linux only, as is the test run. */
export function childPids(name: string): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(name)).map(Number);
}
