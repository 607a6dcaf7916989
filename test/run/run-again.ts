// A second try for the few files that failed in a long run, one file at a time. Real rooms on a busy machine have
// faults that no test causes, such as a call of LiveKit's native client that never returns. Both tries are printed, and
// a file that fails twice has failed.
import { describeCounts } from "./count-tests.ts";
import type { FileResult } from "./test-process.ts";

/** One file in so many. If more fail, it is no chance. */
const SECOND_TRY_SHARE = 25;
/** Shorter runs are looked at while a file is being changed. */
const LEAST_FILES = 25;

export interface RunAgainOptions {
  results: readonly FileResult[];
  /** Runs files, each in a process that no other file has used. */
  run(files: readonly string[]): Promise<readonly FileResult[]>;
  say(line: string): void;
}

/** The results, with those of second tries instead of the first ones, and the number of files that were tried again. */
export async function runAgain({
  results,
  run,
  say,
}: RunAgainOptions): Promise<{ results: readonly FileResult[]; secondTries: number }> {
  const failed = results.filter(({ counts }) => counts.failed > 0).map(({ file }) => file);
  if (results.length < LEAST_FILES || failed.length === 0 || failed.length > results.length / SECOND_TRY_SHARE) {
    return { results, secondTries: 0 };
  }
  say(`\nA second try for ${failed.join(", ")}`);
  const again = new Map<string, FileResult>();
  for (const file of failed) {
    for (const result of await run([file])) again.set(file, result);
  }
  for (const { file, counts } of again.values()) {
    say(`${file}: failed at the first try, ${describeCounts(counts)} at the second`);
  }
  return { results: results.map((result) => again.get(result.file) ?? result), secondTries: again.size };
}
