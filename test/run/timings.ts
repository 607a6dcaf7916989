// How long each test file took in the last measured run: files are started longest first.
import { readFile, writeFile } from "node:fs/promises";
import type { FileResult } from "./test-process.ts";

const FILE = new URL("timings.json", import.meta.url);
/** A new file may well be a long one. */
const UNKNOWN_S = 20;

/** Sorts longest first. */
export async function sortByDuration(files: readonly string[]): Promise<string[]> {
  const timings: Record<string, number> = JSON.parse(await readFile(FILE, "utf8").catch(() => "{}"));
  const durationOf = (file: string) => timings[file] ?? UNKNOWN_S;
  return files.toSorted((left, right) => durationOf(right) - durationOf(left) || left.localeCompare(right));
}

/** Stores the durations of a whole run. */
export async function storeTimings(results: readonly FileResult[]): Promise<void> {
  const sorted = results.toSorted((left, right) => left.file.localeCompare(right.file));
  const timings = Object.fromEntries(sorted.map(({ file, durationS }) => [file, Math.round(durationS * 10) / 10]));
  await writeFile(FILE, `${JSON.stringify(timings, null, 2)}\n`);
}
