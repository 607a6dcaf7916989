// Task processes behind one fair, bounded queue.
import { FairQueue } from "./fair-queue.ts";
import { TaskError } from "./task-error.ts";
import { type TaskOptions, TaskProcess, type TaskProcessOptions } from "./task-process.ts";

export interface TaskPoolOptions extends TaskProcessOptions {
  /** Most child processes. Default 1. */
  processes?: number;
  /** Most tasks that wait. Default: no limit. */
  maxWaiting?: number;
  /** Most tasks of one owner that wait. Default: `maxWaiting`. */
  maxWaitingPerOwner?: number;
}

export interface PoolTaskOptions extends TaskOptions {
  /** Owners take turns. Default: one owner for all. */
  owner?: string;
  /** Longest wait for a process. Default: no limit. */
  maxWaitMs?: number;
  /** Rejects with the signal's reason when it fires. A waiting task leaves the queue; a running one is finished and
   *  forgotten. */
  signal?: AbortSignal;
}

interface PendingTask<Task, Result> {
  task: Task;
  options: PoolTaskOptions;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** Ends the time limit on its wait. */
  stopTimer(): void;
}

/** Performs tasks in child processes, as many at a time as there are processes. */
export class TaskPool<Task, Result> {
  readonly #processes: TaskProcess<Task, Result>[];
  readonly #queue: FairQueue<PendingTask<Task, Result>>;
  #isClosed = false;

  /** Starts nothing yet. */
  constructor(options: TaskPoolOptions) {
    const { processes = 1, maxWaiting = Number.POSITIVE_INFINITY } = options;
    const { maxWaitingPerOwner = maxWaiting, ...processOptions } = options;
    this.#processes = Array.from({ length: processes }, () => new TaskProcess<Task, Result>(processOptions));
    this.#queue = new FairQueue({ maxEntries: maxWaiting, maxEntriesPerOwner: maxWaitingPerOwner });
  }

  /** Starts one child ahead of its first task. */
  warmUp(): void {
    this.#processes[0].start();
  }

  /** Performs a task as soon as a process is free. Throws as `TaskProcess.run`; TaskError `busy` if the queue is full
   *  or the task waited longer than `maxWaitMs`; the signal's reason. */
  async run(task: Task, options: PoolTaskOptions): Promise<Result> {
    const { owner = "", signal, maxWaitMs } = options;
    if (this.#isClosed) throw closedError();
    signal?.throwIfAborted();
    let leave = (): void => undefined;
    const result = new Promise<Result>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const pending = { task, options, resolve, reject, stopTimer: () => clearTimeout(timer) };
      const free = this.#processes.find(({ isBusy }) => !isBusy);
      if (free) this.#perform(free, pending);
      else if (!this.#queue.add(owner, pending)) reject(new TaskError("busy", "too many tasks are waiting"));
      else if (maxWaitMs !== undefined) {
        timer = setTimeout(() => {
          this.#queue.remove(owner, pending);
          reject(new TaskError("busy", `no process was free within ${maxWaitMs} ms`));
        }, maxWaitMs);
      }
      leave = () => {
        this.#queue.remove(owner, pending);
        pending.stopTimer();
        reject(signal?.reason);
      };
    });
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await result;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Ends the processes and waits until they are gone; tasks that are not done are rejected. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let pending = this.#queue.take(); pending; pending = this.#queue.take()) {
      pending.stopTimer();
      pending.reject(closedError());
    }
    await Promise.all(this.#processes.map((process) => process.close()));
  }

  #perform(process: TaskProcess<Task, Result>, pending: PendingTask<Task, Result>): void {
    pending.stopTimer();
    const settled = process.run(pending.task, pending.options).then(pending.resolve, pending.reject);
    void settled.then(() => {
      const next = process.isBusy ? undefined : this.#queue.take();
      if (next) this.#perform(process, next);
    });
  }
}

function closedError(): TaskError {
  return new TaskError("closed", "the task process was closed");
}
