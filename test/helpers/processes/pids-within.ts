// Processes below another one, by command line.
import { readFile } from "node:fs/promises";

/** Ids of the children and grandchildren of a process with `name` in their command line. Linux only, as is the test
 *  run. */
export async function pidsWithin(pid: number, name: string): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean);
  const found = await Promise.all(
    children.map(async (child) => {
      const isIt = (await readFile(`/proc/${child}/cmdline`, "utf8")).includes(name);
      return [...(isIt ? [Number(child)] : []), ...(await pidsWithin(Number(child), name))];
    }),
  );
  return found.flat();
}
