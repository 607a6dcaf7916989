// Runs test files in a few processes at a time, and prints a line for each.
import type { TestBundles } from "./bundle-tests.ts";
import { describeCounts } from "./count-tests.ts";
import { needsOwnProcess } from "./own-process.ts";
import { LANES, Schedule } from "./schedule.ts";
import { type FileResult, TestProcess } from "./test-process.ts";
import type { Timing } from "./timings.ts";

export interface RunFilesOptions {
  files: readonly string[];
  timingOf(file: string): Timing;
  bundles: TestBundles;
  /** Added to our own environment. */
  environment: Record<string, string>;
  say(line: string): void;
}

export interface RunResult {
  results: FileResult[];
  /** Processes of several files that could not end because one left something open, although all their tests passed. */
  brokenProcesses: number;
}

export async function runFiles({ files, timingOf, bundles, environment, say }: RunFilesOptions): Promise<RunResult> {
  const startedMs = performance.now();
  const schedule = new Schedule(files, timingOf);
  const results: FileResult[] = [];
  const open = new Set<TestProcess>();
  let brokenProcesses = 0;

  const start = () => {
    const started = new TestProcess(bundles, environment, {
      onFailure(path, { diag }) {
        say(`\nFAILED: ${path.join(" > ")}`);
        for (const [name, value] of Object.entries(diag ?? {})) {
          const text = typeof value === "string" ? `\n${value.trimEnd()}` : ` ${JSON.stringify(value)}`;
          say(`${name}:${text}`.replace(/^/gm, "    "));
        }
      },
      onSkip: (path, reason) => say(`skipped: ${path.join(" > ")}${reason ? `: ${reason}` : ""}`),
    });
    open.add(started);
    return started;
  };
  /** Whether the process could end. */
  const end = async (ended: TestProcess, ran: readonly string[]) => {
    const hasEnded = await ended.end();
    if (!hasEnded) say(`\nFAILED: a process did not end, something was left open by: ${ran.join(", ")}`);
    open.delete(ended);
    return hasEnded;
  };
  const killAll = () => {
    for (const process of open) process.kill();
    process.exit(1);
  };
  process.once("SIGINT", killAll).once("SIGTERM", killAll);

  const lane = async (number: number) => {
    let shared: TestProcess | null = null;
    let ran: string[] = [];
    for (let file = await schedule.next(number); file !== undefined; file = await schedule.next(number)) {
      const isApart = needsOwnProcess(file);
      const chosen: TestProcess = isApart ? start() : (shared ?? start());
      const tried = await chosen.run(file);
      // What a file left open in a process of its own is a failure of that file, which may have a second try.
      const leftOpen = isApart && !(await end(chosen, [file])) ? 1 : 0;
      const counts = { ...tried.counts, failed: tried.counts.failed + leftOpen };
      results.push({ ...tried, counts });
      if (!isApart && chosen.hasDied) {
        shared = null;
        ran = [];
      } else if (!isApart) {
        shared = chosen;
        ran.push(file);
      }
      schedule.end(file);
      const elapsedS = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4);
      const { durationS, cpuS } = tried;
      const state = counts.failed > 0 ? "FAILED" : "ok    ";
      say(
        `${elapsedS} s  ${state}  ${file} (${describeCounts(counts)}; ${durationS.toFixed(1)} s, CPU ${cpuS.toFixed(1)} s)`,
      );
    }
    const hasFailed = results.some(({ file, counts }) => ran.includes(file) && counts.failed > 0);
    if (shared && !(await end(shared, ran)) && !hasFailed) brokenProcesses += 1;
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  process.off("SIGINT", killAll).off("SIGTERM", killAll);
  return { results, brokenProcesses };
}
