// Task processes behind one fair, bounded queue.
import { FairQueue } from "./fair-queue.ts";
import { TaskError } from "./task-error.ts";
import { type TaskOptions, TaskProcess, type TaskProcessLog, type TaskProcessOptions } from "./task-process.ts";

export interface TaskPoolOptions extends Omit<TaskProcessOptions, "onReady"> {
  /** Most child processes. Default 1. */
  processes?: number;
  /** For processes that take seconds to load: a further one is started when a task has waited this long, and gets tasks
   *  once it is ready (see `serveTasks`). Default: further processes are started by the first task that finds none
   *  free. */
  growAfterMs?: number;
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
  /** Rejects with the signal's reason when it fires. A waiting task leaves the queue; a running one is told to stop,
   *  and its process takes the next task when it has. */
  signal?: AbortSignal;
}

interface PendingTask<Task, Result> {
  task: Task;
  options: PoolTaskOptions;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** Ends the limits on its wait. */
  stopTimers(): void;
}

/** Performs tasks in child processes, as many at a time as there are processes. */
export class TaskPool<Task, Result> {
  readonly #processes: TaskProcess<Task, Result>[];
  readonly #growAfterMs: number | undefined;
  /** Owner of a process's last task: the process may remember what the next one needs. */
  readonly #lastOwners = new Map<TaskProcess<Task, Result>, string>();
  readonly #queue: FairQueue<PendingTask<Task, Result>>;
  readonly #log: TaskProcessLog | undefined;
  #hasFailedToGrow = false;
  #isClosed = false;

  /** Starts nothing yet. */
  constructor(options: TaskPoolOptions) {
    const { processes = 1, maxWaiting = Number.POSITIVE_INFINITY, growAfterMs } = options;
    const { maxWaitingPerOwner = maxWaiting, ...processOptions } = options;
    this.#growAfterMs = growAfterMs;
    this.#log = options.log;
    this.#processes = Array.from({ length: processes }, () => {
      const process = new TaskProcess<Task, Result>({ ...processOptions, onReady: () => this.#performNext(process) });
      return process;
    });
    this.#queue = new FairQueue({ maxEntries: maxWaiting, maxEntriesPerOwner: maxWaitingPerOwner });
  }

  /** Starts one child ahead of its first task. Safe to repeat. Never throws. */
  warmUp(): void {
    try {
      this.#processes[0].start();
    } catch {
      // The first task tries again.
    }
  }

  /** Performs a task as soon as a process is free. Throws as `TaskProcess.run`; TaskError `busy` if the queue is full
   *  or the task waited longer than `maxWaitMs`; the signal's reason. */
  async run(task: Task, options: PoolTaskOptions): Promise<Result> {
    const { owner = "", signal, maxWaitMs } = options;
    if (this.#isClosed) throw closedError();
    signal?.throwIfAborted();
    let leave = (): void => undefined;
    const result = new Promise<Result>((resolve, reject) => {
      const timers: NodeJS.Timeout[] = [];
      const pending = { task, options, resolve, reject, stopTimers: () => timers.forEach(clearTimeout) };
      const free = this.#findFree(owner);
      if (free) this.#perform(free, pending);
      else if (!this.#queue.add(owner, pending)) reject(new TaskError("busy", "too many tasks are waiting"));
      else {
        // Again and again, because another process may just be starting.
        if (this.#growAfterMs !== undefined) timers.push(setInterval(() => this.#grow(), this.#growAfterMs).unref());
        if (maxWaitMs !== undefined) {
          const giveUp = () => {
            this.#queue.remove(owner, pending);
            pending.stopTimers();
            reject(new TaskError("busy", `no process was free within ${maxWaitMs} ms`));
          };
          timers.push(setTimeout(giveUp, maxWaitMs));
        }
      }
      leave = () => {
        this.#queue.remove(owner, pending);
        pending.stopTimers();
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
      pending.stopTimers();
      pending.reject(closedError());
    }
    await Promise.all(this.#processes.map((process) => process.close()));
  }

  /** A process that can take the owner's task now; the one that had its last task, if possible. */
  #findFree(owner: string): TaskProcess<Task, Result> | undefined {
    const loadsAhead = this.#growAfterMs !== undefined;
    const free = this.#processes.filter(
      (process, index) => !process.isBusy && (index === 0 || !loadsAhead || process.isReady),
    );
    const ready = free.filter(({ isReady }) => isReady);
    return ready.find((process) => this.#lastOwners.get(process) === owner) ?? ready[0] ?? free[0];
  }

  /** Starts a further process, unless one is starting. Never throws, because a timer calls it: a start that fails, for
   *  example on a full disk, is logged once and repeated, and the task waits for the other processes. */
  #grow(): void {
    if (this.#processes.some(({ isStarted, isReady }) => isStarted && !isReady)) return;
    try {
      this.#processes.find(({ isStarted }) => !isStarted)?.start();
      this.#hasFailedToGrow = false;
    } catch (error) {
      if (!this.#hasFailedToGrow) this.#log?.warn({ err: error }, "no further task process can be started");
      this.#hasFailedToGrow = true;
    }
  }

  #perform(process: TaskProcess<Task, Result>, pending: PendingTask<Task, Result>): void {
    const { task, options } = pending;
    pending.stopTimers();
    this.#lastOwners.set(process, options.owner ?? "");
    const cancel = () => process.cancel();
    options.signal?.addEventListener("abort", cancel, { once: true });
    const settled = process.run(task, options).then(pending.resolve, pending.reject);
    void settled.then(() => {
      options.signal?.removeEventListener("abort", cancel);
      this.#performNext(process);
    });
  }

  /** Takes a waiting task, if the process is free. */
  #performNext(process: TaskProcess<Task, Result>): void {
    const next = process.isBusy ? undefined : this.#queue.take();
    if (next) this.#perform(process, next);
  }
}

function closedError(): TaskError {
  return new TaskError("closed", "the task process was closed");
}
