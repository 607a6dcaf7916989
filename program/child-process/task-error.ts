// Why a task of a child process has no result, other than a refusal of its input.

/** `busy`: the queue is full, or the task waited too long for its turn. `timeout`: it was stopped at its time limit.
 *  `lost`: its process died or could not be started. `failed`: it threw. `closed`: the process was closed. */
export type TaskErrorReason = "busy" | "timeout" | "lost" | "failed" | "closed";

/** A task without a result. The input need not be at fault: another attempt may succeed. */
export class TaskError extends Error {
  readonly reason: TaskErrorReason;

  constructor(reason: TaskErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TaskError";
    this.reason = reason;
  }
}

/** Whether an error says that a task process had no result for other reasons than its input. */
export function isTaskError(error: unknown): error is TaskError {
  return error instanceof TaskError;
}
