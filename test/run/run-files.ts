// Runs test files in two processes at a time, in the given order, and prints a line for each.
import type { TestBundles } from "./bundle-tests.ts";
import { describeCounts } from "./count-tests.ts";
import { needsOwnProcess } from "./own-process.ts";
import { type FileResult, TestProcess } from "./test-process.ts";

/** More would only make the timing of rooms and renders unsteady. */
const PARALLEL_FILES = 2;

export interface RunFilesOptions {
  files: readonly string[];
  bundles: TestBundles;
  /** Added to our own environment. */
  environment: Record<string, string>;
  say(line: string): void;
}

export interface RunResult {
  results: FileResult[];
  /** Processes that could not end because a file left something open, although all their tests passed. */
  brokenProcesses: number;
}

export async function runFiles({ files, bundles, environment, say }: RunFilesOptions): Promise<RunResult> {
  const startedMs = performance.now();
  const queue = [...files];
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
  const end = async (ended: TestProcess, ran: readonly string[]) => {
    if (!(await ended.end())) {
      const hasFailed = results.some(({ file, counts }) => ran.includes(file) && counts.failed > 0);
      if (!hasFailed) brokenProcesses += 1;
      say(`\nFAILED: a process did not end, something was left open by: ${ran.join(", ")}`);
    }
    open.delete(ended);
  };
  const killAll = () => {
    for (const process of open) process.kill();
    process.exit(1);
  };
  process.once("SIGINT", killAll).once("SIGTERM", killAll);

  const lane = async () => {
    let shared: TestProcess | null = null;
    let ran: string[] = [];
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const isApart = needsOwnProcess(file);
      const chosen: TestProcess = isApart ? start() : (shared ?? start());
      const result = await chosen.run(file);
      results.push(result);
      if (isApart) await end(chosen, [file]);
      else if (chosen.hasDied) {
        shared = null;
        ran = [];
      } else {
        shared = chosen;
        ran.push(file);
      }
      const elapsedS = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4);
      const { counts, durationS } = result;
      const state = counts.failed > 0 ? "FAILED" : "ok    ";
      say(`${elapsedS} s  ${state}  ${file} (${describeCounts(counts)}; ${durationS.toFixed(1)} s)`);
    }
    if (shared) await end(shared, ran);
  };
  await Promise.all(Array.from({ length: PARALLEL_FILES }, lane));
  process.off("SIGINT", killAll).off("SIGTERM", killAll);
  return { results, brokenProcesses };
}
