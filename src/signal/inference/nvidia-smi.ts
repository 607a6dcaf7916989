// What the driver of NVIDIA cards says about them. Node only.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface NvidiaCard {
  /** From 0, in the driver's order. */
  index: number;
  uuid: string;
  name: string;
  /** Version of the driver, for example `550.54.15`. */
  driver: string;
  memoryBytes: number;
  freeMemoryBytes: number;
  /** Share of the last second or so in which the card computed, 0 to 1; null if the driver does not tell. */
  busyShare: number | null;
}

const QUERY = "index,uuid,name,driver_version,memory.total,memory.free,utilization.gpu";
const MEBIBYTE = 1024 * 1024;
const TIMEOUT_MS = 5_000;

/** Runs `nvidia-smi`; its output. Rejects if it is missing or fails. */
export type RunNvidiaSmi = (args: readonly string[]) => Promise<string>;

const runProgram: RunNvidiaSmi = async (args) => {
  const { stdout } = await promisify(execFile)("nvidia-smi", args, { timeout: TIMEOUT_MS });
  return stdout;
};

/** All cards of this machine. Throws if the driver's program is missing or fails. */
export async function listCards(run: RunNvidiaSmi = runProgram): Promise<NvidiaCard[]> {
  const output = await run([`--query-gpu=${QUERY}`, "--format=csv,noheader,nounits"]);
  return output
    .split("\n")
    .map((line) => line.split(",").map((field) => field.trim()))
    .filter((fields) => fields.length === QUERY.split(",").length)
    .map(([index, uuid, name, driver, total, free, busy]) => ({
      index: Number(index),
      uuid,
      name,
      driver,
      memoryBytes: Number(total) * MEBIBYTE,
      freeMemoryBytes: Number(free) * MEBIBYTE,
      // `[N/A]` on cards that are shared in parts.
      busyShare: /^\d+$/.test(busy) ? Number(busy) / 100 : null,
    }));
}
