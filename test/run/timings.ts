// How long each test file took when it was last measured (`npm test -- --timings`), and how much CPU time it used.
import { readFile, writeFile } from "node:fs/promises";

const FILE = new URL("timings.json", import.meta.url);

export interface Timing {
  durationS: number;
  /** CPU time, with that of the processes that the file started. */
  cpuS: number;
}

/** Stored as `[durationS, cpuS]` by path. */
type StoredTimings = Record<string, [number, number]>;

/** A new file may well be a long one. */
const UNKNOWN: Timing = { durationS: 20, cpuS: 20 };

/** Returns the last measurement of a file. */
export async function loadTimings(): Promise<(file: string) => Timing> {
  const stored = await readTimings();
  return (file) => {
    const timing = stored[file];
    return timing ? { durationS: timing[0], cpuS: timing[1] } : UNKNOWN;
  };
}

/** Stores the measurements of a run. Files that it did not run keep theirs, unless they are no longer in `existing`. */
export async function storeTimings(
  results: readonly (Timing & { file: string })[],
  existing: readonly string[],
): Promise<void> {
  const timings = await readTimings();
  for (const { file, durationS, cpuS } of results) timings[file] = [round(durationS), round(cpuS)];
  const kept = existing.filter((file) => timings[file] !== undefined).sort();
  const lines = kept.map((file) => `  ${JSON.stringify(file)}: [${timings[file].join(", ")}]`);
  await writeFile(FILE, `{\n${lines.join(",\n")}\n}\n`);
}

export async function readTimings(): Promise<StoredTimings> {
  return JSON.parse(await readFile(FILE, "utf8").catch(() => "{}"));
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
