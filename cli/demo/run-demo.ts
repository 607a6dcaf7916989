// What all demos have in common: progress, an end by Ctrl-C, and cleaning up in reverse order.
import { dispose } from "@livekit/rtc-node";
import { createProgress, type Progress } from "../start/progress.ts";
import { describeStartError } from "../start/start-error.ts";

export interface DemoRun {
  progress: Progress;
  /** What is undone at the end, the last first. */
  undo: (() => Promise<void>)[];
}

export interface DemoOptions<Result> {
  /** One JSON object on stdout; progress then goes to stderr. */
  isJson: boolean;
  record(run: DemoRun): Promise<Result>;
  /** The lines for people. */
  describe(result: Result): string;
  /** For programs. */
  toJson(result: Result): object;
}

/** Runs a demo, prints its result and ends the process: with 1 after an error, which is printed, and 130 after
 *  Ctrl-C. */
export async function runDemo<Result>({ isJson, record, describe, toJson }: DemoOptions<Result>): Promise<never> {
  const run: DemoRun = { progress: createProgress(isJson ? process.stderr : process.stdout), undo: [] };
  let lines = "";
  try {
    const result = await Promise.race([record(run), interruption()]);
    lines = isJson ? `${JSON.stringify(toJson(result))}\n` : describe(result);
  } catch (error) {
    process.exitCode ||= 1;
    process.stderr.write(`\n${describeStartError(error)}\n`);
  }
  for (const step of run.undo.reverse()) {
    await step().catch((error: unknown) => process.stderr.write(`while cleaning up: ${String(error)}\n`));
  }
  process.stdout.write(lines);
  await dispose();
  process.exit();
}

function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        process.exitCode = 130;
        reject(new Error("interrupted"));
      });
    }
  });
}
