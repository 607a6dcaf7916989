// Child processes that decode untrusted images and bake avatars. This takes seconds of CPU time and native libraries,
// so it runs outside the api's event loop, memory and environment.

import { isTaskError, type TaskErrorReason } from "../../../program/child-process/task-error.ts";
import { type PoolTaskOptions, TaskPool } from "../../../program/child-process/task-pool.ts";
import type { Logger } from "../../../program/log.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { toServiceError } from "../../kernel/to-service-error.ts";
import type { PortraitResult, PortraitTask, PortraitTasks } from "./portrait-messages.ts";

/** An idle process is ended after this time, to free its memory. */
const IDLE_MS = 120_000;
/** A face takes 0.5 s and a bake 3 s; a task that runs this long hangs. */
const TIMEOUTS_MS: Readonly<Record<keyof PortraitTasks, number>> = { inspect: 60_000, locate: 60_000, bake: 240_000 };
/** Each waiting image takes up to 10 MB. */
const DEFAULT_MAX_WAITING = 24;
const DEFAULT_MAX_WAITING_PER_ACCOUNT = 6;
const RETRY_AFTER_SECONDS = 10;
const BUSY = "The service is too busy to check files now. Try again later.";
/** What callers read about a task without a result, by the reason of its TaskError. */
const RETRY_MESSAGES: Readonly<Record<Exclude<TaskErrorReason, "failed">, string>> = {
  busy: BUSY,
  timeout: BUSY,
  lost: "The process that works on files ended unexpectedly. Try again later.",
  closed: "The service is restarting. Try again later.",
};

type Input<Kind extends keyof PortraitTasks> = Omit<PortraitTasks[Kind]["task"], "task">;
type Output<Kind extends keyof PortraitTasks> = Promise<PortraitTasks[Kind]["result"]>;

/** The caller of a task. */
export interface TaskCaller {
  /** The account that the task is for. Accounts take turns. */
  userId?: string;
  /** Fires when the client disconnects; its waiting task is then dropped. */
  signal?: AbortSignal;
  /** Longest time in the queue, ms. Default: no limit, for jobs. */
  timeoutMs?: number;
}

export interface PortraitProcessOptions {
  logger: Logger;
  /** Niceness of the child process, 0 (as the api) to 19 (lowest priority). Default 0. */
  niceness?: number;
  /** Number of child processes, each with one task at a time. Default 1. */
  processes?: number;
  /** Largest number of waiting tasks, in all and per account. Default 24 and 6. */
  maxWaiting?: number;
  maxWaitingPerAccount?: number;
}

/** Finds faces and bakes avatars in the background. */
export type Baker = Pick<PortraitProcess, "locate" | "bake" | "close">;

/** Checks images. */
export type Inspector = Pick<PortraitProcess, "inspect" | "close">;

/** Runs tasks in child processes, which start on demand and are replaced when they die. The queue is bounded and takes
 *  tasks of the accounts in turn. */
export class PortraitProcess {
  readonly #pool: TaskPool<PortraitTask, PortraitResult>;

  constructor({ logger, niceness, processes, ...limits }: PortraitProcessOptions) {
    this.#pool = new TaskPool({
      module: new URL("portrait-child.ts", import.meta.url),
      log: logger.child({ process: "portrait" }),
      idleMs: IDLE_MS,
      showsOutput: true,
      niceness,
      processes,
      maxWaiting: limits.maxWaiting ?? DEFAULT_MAX_WAITING,
      maxWaitingPerOwner: limits.maxWaitingPerAccount ?? DEFAULT_MAX_WAITING_PER_ACCOUNT,
    });
  }

  /** Decodes and checks an image. Throws the ServiceError of the image, SERVICE_UNAVAILABLE with Retry-After if the
   *  queue is full, the task takes too long or the child process died, the signal's reason, and TaskError for a fault
   *  of the task's own code. */
  inspect(input: Input<"inspect">, caller: TaskCaller = {}): Output<"inspect"> {
    return this.#run({ task: "inspect", ...input }, caller) as Output<"inspect">;
  }

  /** Finds the face of an image, or guesses its position. Throws as `inspect`. */
  locate(input: Input<"locate">, caller: TaskCaller = {}): Output<"locate"> {
    return this.#run({ task: "locate", ...input }, caller) as Output<"locate">;
  }

  /** Bakes an `.imx`. `onProgress` gets values from 0 to 1. Throws as `inspect`. */
  bake(input: Input<"bake">, onProgress?: (share: number) => void): Output<"bake"> {
    return this.#run({ task: "bake", ...input }, {}, onProgress) as Output<"bake">;
  }

  /** Ends the processes and rejects unfinished tasks. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  #run(task: PortraitTask, caller: TaskCaller, onProgress?: (share: number) => void): Promise<PortraitResult> {
    return runForCaller(this.#pool, task, caller, { timeoutMs: TIMEOUTS_MS[task.task], onProgress });
  }
}

/** Runs a task for an account. Throws as the pool, but SERVICE_UNAVAILABLE where another attempt may succeed. */
export async function runForCaller<Task, Result>(
  pool: TaskPool<Task, Result>,
  task: Task,
  { userId, signal, timeoutMs }: TaskCaller,
  options: Pick<PoolTaskOptions, "timeoutMs" | "onProgress">,
): Promise<Result> {
  try {
    return await pool.run(task, { ...options, owner: userId, signal, maxWaitMs: timeoutMs });
  } catch (error) {
    // The contract has 415 for uploads alone. A field of JSON that holds no such file is invalid.
    if (isEngineError(error) && error.code === "unsupported-media") {
      throw new ServiceError("VALIDATION_ERROR", error.message, { cause: error });
    }
    if (isEngineError(error)) throw toServiceError(error);
    if (!isTaskError(error) || error.reason === "failed") throw error;
    throw new ServiceError("SERVICE_UNAVAILABLE", RETRY_MESSAGES[error.reason], {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}
