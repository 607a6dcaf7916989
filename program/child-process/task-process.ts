// A child process that performs tasks, one at a time, for code that must not run in the parent: it blocks, it may
// crash, or it reads files of strangers. The child is started when it is needed and again after it died.
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EngineError } from "../../shared/engine-error.ts";
import { childEnvironment } from "./child-environment.ts";
import { moduleFlags } from "./module-flags.ts";
import { TaskError } from "./task-error.ts";
import type { TaskCancel, TaskCrash, TaskReady, TaskReply, TaskRequest } from "./task-messages.ts";

/** A process starts in half a second, and in twenty on a machine with ten times too much to do. */
const DEFAULT_START_TIMEOUT_MS = 60_000;

/** What the parent logs of its child. */
export interface TaskProcessLog {
  warn(fields: object, message: string): void;
}

export interface TaskProcessOptions {
  /** The module that the child runs; it calls `serveTasks`. */
  module: URL;
  /** Default: nothing is logged. */
  log?: TaskProcessLog;
  /** More flags for Node. */
  nodeFlags?: readonly string[];
  /** Scheduling priority of the child, 0 (as the parent) to 19 (only what is left over). Default 0. */
  niceness?: number;
  /** Longest wait until the child has loaded its code and started a task. Default 60,000. */
  startTimeoutMs?: number;
  /** Called when the child has loaded what it needs; see `serveTasks`. */
  onReady?: () => void;
  /** An idle child is ended after this time. Default: never. */
  idleMs?: number;
  /** Whether the child's output appears in the parent's. Default false. */
  showsOutput?: boolean;
}

export interface TaskOptions {
  /** Time limit from when the child has started the task. After it the child is killed. */
  timeoutMs: number;
  /** Gets shares from 0 to 1. */
  onProgress?: (share: number) => void;
}

interface RunningTask<Result> extends TaskOptions {
  id: number;
  timer: NodeJS.Timeout;
  resolve(result: Result): void;
  reject(error: Error): void;
}

interface Child {
  process: ChildProcess;
  isReady: boolean;
  /** For the child's temporary files; removed with whatever a killed child left there. */
  folder: string;
  /** Resolves when the child is gone and its folder removed. */
  gone: Promise<void>;
}

/** The parent's side of one task process. An idle child does not keep the parent alive. */
export class TaskProcess<Task, Result> {
  readonly #options: TaskProcessOptions;
  #child: Child | null = null;
  #lastGone: Promise<void> = Promise.resolve();
  #running: RunningTask<Result> | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  /** Starts nothing yet. */
  constructor(options: TaskProcessOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  get isStarted(): boolean {
    return this.#child !== null;
  }

  /** Whether the child runs and has loaded what it needs. */
  get isReady(): boolean {
    return this.#child?.isReady ?? false;
  }

  /** Starts the child ahead of its first task, which it awaits as long as any other. Does nothing once closed, or if
   *  it runs. */
  start(): void {
    if (this.#isClosed || this.#child) return;
    this.#child = this.#fork();
    this.#awaitTask();
  }

  /** Tells the child that the result of its task is not wanted. The task ends as the child decides. */
  cancel(): void {
    const id = this.#running?.id;
    if (id !== undefined) this.#child?.process.send({ cancelled: id } satisfies TaskCancel, () => undefined);
  }

  /** Performs a task. Throws EngineError if the child refused the input, TaskError otherwise. One task at a time:
   *  throws Error if another is running. */
  run(task: Task, options: TaskOptions): Promise<Result> {
    if (this.#running) throw new Error("a task process performs one task at a time");
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedError());
      this.start();
      clearTimeout(this.#idleTimer);
      const id = this.#nextId++;
      const timer = this.#startTimer(this.#options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS);
      this.#running = { ...options, id, timer, resolve, reject };
      this.#child?.process.send({ id, task } satisfies TaskRequest<Task>, (error) => {
        if (error && this.#running?.id === id) this.#abandon(new TaskError("lost", error.message, { cause: error }));
      });
    });
  }

  /** Ends the child and waits until it is gone; a running task is rejected. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#child?.process.ref();
    this.#abandon(closedError());
    await this.#lastGone;
  }

  #fork(): Child {
    const { module, nodeFlags = [], niceness = 0, showsOutput = false } = this.#options;
    const folder = mkdtempSync(join(tmpdir(), "avatar-task-"));
    const child = fork(fileURLToPath(module), [folder], {
      execArgv: [...nodeFlags, ...moduleFlags(module)],
      serialization: "advanced",
      stdio: ["ignore", showsOutput ? "inherit" : "ignore", showsOutput ? "inherit" : "ignore", "ipc"],
      env: childEnvironment(folder),
      // Leader of a process group, so that programs which it started can be ended with it.
      detached: true,
    });
    if (niceness > 0 && child.pid !== undefined) lowerPriority(child.pid, niceness);
    const gone = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => this.#onGone(child, `the process ended (${signal ?? code})`, resolve));
      child.once("error", (error) => this.#onGone(child, `the process failed: ${error.message}`, resolve));
    }).then(() => rm(folder, { recursive: true, force: true }));
    this.#lastGone = gone;
    child.on("message", (reply: TaskReply<Result> | TaskReady | TaskCrash) => this.#receive(child, reply));
    child.unref();
    child.channel?.unref();
    return { process: child, isReady: false, folder, gone };
  }

  #onGone(child: ChildProcess, message: string, resolve: () => void): void {
    killGroup(child);
    resolve();
    if (this.#child?.process !== child) return;
    this.#options.log?.warn({ reason: message }, "task process ended unexpectedly");
    this.#abandon(new TaskError("lost", message));
  }

  #receive(from: ChildProcess, reply: TaskReply<Result> | TaskReady | TaskCrash): void {
    if (reply.type === "crashed") {
      this.#options.log?.warn({ reason: reply.message }, "task process ends: uncaught exception");
      return;
    }
    // A late reply of an earlier child.
    if (this.#child?.process !== from) return;
    if (reply.type === "ready") {
      this.#child.isReady = true;
      this.#options.onReady?.();
      return;
    }
    const running = this.#running;
    // A late reply to an earlier task.
    if (running?.id !== reply.id) return;
    if (reply.type === "begun") {
      clearTimeout(running.timer);
      running.timer = this.#startTimer(running.timeoutMs);
      return;
    }
    if (reply.type === "progress") {
      running.onProgress?.(reply.share);
      return;
    }
    clearTimeout(running.timer);
    this.#running = null;
    this.#awaitTask();
    if (reply.type === "done") running.resolve(reply.result);
    else if (reply.type === "refused") running.reject(new EngineError(reply.code, reply.message));
    else running.reject(new TaskError("failed", reply.message));
  }

  /** Ends the child unless a task comes in time. */
  #awaitTask(): void {
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#idleTimer = setTimeout(() => this.#endChild(), idleMs).unref();
  }

  #startTimer(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#options.log?.warn({ timeoutMs }, "task process was too slow and is killed");
      this.#abandon(new TaskError("timeout", `no result within ${timeoutMs} ms`));
    }, timeoutMs);
  }

  /** Ends the child and rejects its task. */
  #abandon(error: TaskError): void {
    const running = this.#running;
    this.#running = null;
    this.#endChild();
    if (!running) return;
    clearTimeout(running.timer);
    running.reject(error);
  }

  #endChild(): void {
    clearTimeout(this.#idleTimer);
    const child = this.#child;
    this.#child = null;
    if (child) killGroup(child.process);
  }
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, which its exit reports.
  }
}

/** Kills a child and every program that it started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // No process of the group is left, or this system has no process groups.
    child.kill("SIGKILL");
  }
}

function closedError(): TaskError {
  return new TaskError("closed", "the task process was closed");
}
