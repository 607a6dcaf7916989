// A progress bar for terminals; silent in scripts.
import { SingleBar } from "cli-progress";

export interface Progress {
  /** `done` out of the total given when it was opened. */
  update(done: number): void;
  /** Ends the line. Idempotent. */
  stop(): void;
}

/** A bar on standard error, if that is a terminal and `isQuiet` is false. */
export function openProgress(label: string, total: number, isQuiet: boolean): Progress {
  if (isQuiet || !process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: `${label} [{bar}] {percentage} % | {value}/{total} | {eta} s left`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}
