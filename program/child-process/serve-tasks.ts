// The child's side of a task process.
import { isEngineError } from "../../shared/engine-error.ts";
import { limitProcess } from "./limit-process.ts";
import type { TaskCancel, TaskCrash, TaskReady, TaskReply, TaskRequest } from "./task-messages.ts";

/** Performs one task. A thrown EngineError refuses the input; any other error fails the task. `signal` fires if the
 *  result is not wanted any more. */
export type PerformTask<Task, Result> = (
  task: Task,
  onProgress: (share: number) => void,
  signal: AbortSignal,
) => Result | Promise<Result>;

export interface ServeTasksOptions {
  /** What the process loads before its first task. Tasks that come earlier wait for it themselves. Default: nothing. */
  loading?: Promise<unknown>;
}

/** Takes tasks from the parent process, one at a time, and replies with their results. Ends this process, and the
 *  programs that it started, as soon as the parent is gone. */
export function serveTasks<Task, Result>(
  perform: PerformTask<Task, Result>,
  { loading = Promise.resolve() }: ServeTasksOptions = {},
): void {
  // A parent that has just died takes no reply: "disconnect" then ends this process.
  const reply = (message: TaskReply<Result> | TaskReady | TaskCrash, onSent = (): void => undefined): void => {
    process.send?.(message, undefined, undefined, onSent);
  };
  // Also of rejections. The parent, which has a log, starts another process for the next task.
  process.on("uncaughtException", (error) => {
    reply({ type: "crashed", message: describe(error) }, endProcessGroup);
  });
  let running: { id: number; cancel: AbortController } | undefined;
  process.on("message", async (message: TaskRequest<Task> | TaskCancel) => {
    if ("cancelled" in message) {
      if (running?.id === message.cancelled) running.cancel.abort();
      return;
    }
    const { id, task } = message;
    const cancel = new AbortController();
    running = { id, cancel };
    reply({ id, type: "begun" });
    try {
      const result = await perform(task, (share) => reply({ id, type: "progress", share }), cancel.signal);
      reply({ id, type: "done", result });
    } catch (error) {
      if (isEngineError(error)) reply({ id, type: "refused", code: error.code, message: error.message });
      else reply({ id, type: "failed", message: describe(error) });
    }
  });
  process.on("disconnect", endProcessGroup);
  // If it fails, the tasks say why.
  const isReady = () => reply({ type: "ready" });
  loading.then(isReady, isReady);
}

/** Kills this process when its resident memory grows beyond `maxBytes`. */
export function limitMemory(maxBytes: number): void {
  limitProcess({ maxMemoryBytes: maxBytes });
}

/** The parent made this process the leader of a process group, to which every program that it started belongs. */
function endProcessGroup(): void {
  try {
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.exit();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
