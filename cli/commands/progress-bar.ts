// A progress bar for terminals; silent in scripts.
import type { SingleBar } from "cli-progress";

export interface Progress {
  /** `done` out of the total given when it was opened. */
  update(done: number): void;
  /** Ends the line. Idempotent. */
  stop(): void;
}

/** A bar on standard error, if that is a terminal and `isQuiet` is false. */
export function openProgress(label: string, total: number, isQuiet: boolean): Progress {
  if (isQuiet || !process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  let bar: SingleBar | undefined;
  let latest = 0;
  let isStopped = false;
  // Scripts, and what a command does first, do without it.
  void import("cli-progress").then(({ default: progress }) => {
    if (isStopped) return;
    bar = new progress.SingleBar({
      format: `${label} [{bar}] {percentage} % | {value}/{total} | {eta} s left`,
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    });
    bar.start(total, latest);
  });
  return {
    update(done) {
      latest = done;
      bar?.update(done);
    },
    stop() {
      isStopped = true;
      bar?.stop();
    },
  };
}
