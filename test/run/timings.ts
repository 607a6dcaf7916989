// How long each test file took when it was last measured (`npm test -- --timings`): files are started longest first.
import { readFile, writeFile } from "node:fs/promises";
import type { FileResult } from "./test-process.ts";

const FILE = new URL("timings.json", import.meta.url);
/** A new file may well be a long one. */
const UNKNOWN_S = 20;

/** Sorts longest first. */
export async function sortByDuration(files: readonly string[]): Promise<string[]> {
  const timings = await readTimings();
  const durationOf = (file: string) => timings[file] ?? UNKNOWN_S;
  return files.toSorted((left, right) => durationOf(right) - durationOf(left) || left.localeCompare(right));
}

/** Stores the durations of a run. Files that it did not run keep theirs, unless they are no longer in `existing`. */
export async function storeTimings(results: readonly FileResult[], existing: readonly string[]): Promise<void> {
  const timings = await readTimings();
  for (const { file, durationS } of results) timings[file] = Math.round(durationS * 10) / 10;
  const kept = existing.filter((file) => timings[file] !== undefined).sort();
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(kept.map((file) => [file, timings[file]])), null, 2)}\n`);
}

async function readTimings(): Promise<Record<string, number>> {
  return JSON.parse(await readFile(FILE, "utf8").catch(() => "{}"));
}
