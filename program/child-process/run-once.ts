// One task in a child process of its own, which ends with it: for work that takes minutes of CPU time, reads files of
// strangers, and must end at once when it is no longer wanted.
import { TaskProcess, type TaskProcessLog } from "./task-process.ts";

/** A process starts in a second; this is for machines that are busy with sessions. */
const START_TIMEOUT_MS = 600_000;

export interface RunOnceOptions {
  /** The module that the child runs; it calls `serveTasks`. */
  module: URL;
  log: TaskProcessLog;
  /** Scheduling priority of the process, 0 (as the parent) to 19 (only what is left over). */
  niceness: number;
  /** Time limit from when the child has started the task. */
  timeoutMs: number;
  /** Kills the process; `runOnce` then throws its reason. */
  signal: AbortSignal;
  /** Gets shares from 0 to 1. */
  onProgress?(share: number): void;
}

/** Runs a task in a new process. Throws the EngineError of the task, TaskError if the process failed, and the signal's
 *  reason. */
export async function runOnce<Task, Result>(task: Task, options: RunOnceOptions): Promise<Result> {
  const { module, log, niceness, timeoutMs, signal, onProgress } = options;
  const child = new TaskProcess<Task, Result>({
    module,
    log,
    niceness,
    startTimeoutMs: START_TIMEOUT_MS,
    showsOutput: true,
  });
  const stop = () => void child.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    return await child.run(task, { timeoutMs, onProgress });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await child.close();
  }
}
