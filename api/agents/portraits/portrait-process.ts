// A child process for everything that decodes strangers' pictures or bakes avatars: seconds of computing and native libraries, kept
// away from the api's event loop and memory.
import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { ServiceError } from "../../../shared/errors.ts";
import type { Logger } from "../../../shared/log.ts";
import type { PortraitReply, PortraitResult, PortraitTask, PortraitTasks } from "./portrait-messages.ts";

const CHILD_PATH = fileURLToPath(new URL("portrait-child.ts", import.meta.url));
/** Resolved from here, because a bare name would be looked for from wherever the service was started. */
const LOADER_URL = import.meta.resolve("tsx");
/** An idle process gives its memory back after this long. */
const IDLE_MS = 120_000;
/** A loaded machine is slow to start a process; that is no fault of the task's. */
const START_TIMEOUT_MS = 60_000;
/** From when the process has begun. A face takes half a second and a bake three; what takes this much longer hangs. */
const TIMEOUTS_MS: Readonly<Record<keyof PortraitTasks, number>> = {
  inspect: 60_000,
  locate: 60_000,
  "measure-voice": 60_000,
  bake: 240_000,
};
const RETRY_AFTER_SECONDS = 30;

type Input<Kind extends keyof PortraitTasks> = Omit<PortraitTasks[Kind]["task"], "task">;
type Output<Kind extends keyof PortraitTasks> = Promise<PortraitTasks[Kind]["result"]>;

export interface PortraitProcessOptions {
  logger: Logger;
  /** Scheduling priority of the child, 0 (as the api) to 19 (only what is left over). Default 0. */
  niceness?: number;
}

interface Waiting {
  task: PortraitTask;
  onProgress(share: number): void;
  resolve(result: PortraitResult): void;
  reject(error: Error): void;
}

/** Runs one task at a time, in order, in a process that is started when needed and replaced when it dies. */
export class PortraitProcess {
  readonly #options: PortraitProcessOptions;
  readonly #queue: Waiting[] = [];
  #child: ChildProcess | null = null;
  #current: (Waiting & { id: number; timer: NodeJS.Timeout }) | null = null;
  #idleTimer: NodeJS.Timeout | null = null;
  #nextId = 1;
  #isClosed = false;

  constructor(options: PortraitProcessOptions) {
    this.#options = options;
  }

  /** Decodes and checks a picture. Throws the ServiceError of whatever is wrong with it, and SERVICE_UNAVAILABLE when the
   *  machine is too busy; any other error is the process's own failing, not the picture's. */
  inspect(input: Input<"inspect">): Output<"inspect"> {
    return this.#add({ task: "inspect", ...input }) as Output<"inspect">;
  }

  /** Finds the face of a picture, or guesses where it may be. Throws as `inspect`. */
  locate(input: Input<"locate">): Output<"locate"> {
    return this.#add({ task: "locate", ...input }) as Output<"locate">;
  }

  /** Measures the voice in a sound file. Throws as `inspect`. */
  measureVoice(input: Input<"measure-voice">): Output<"measure-voice"> {
    return this.#add({ task: "measure-voice", ...input }) as Output<"measure-voice">;
  }

  /** Bakes an `.imx`. `onProgress` gets shares from 0 to 1. Throws as `inspect`. */
  bake(input: Input<"bake">, onProgress: (share: number) => void = () => undefined): Output<"bake"> {
    return this.#add({ task: "bake", ...input }, onProgress) as Output<"bake">;
  }

  /** Ends the process; tasks not done are rejected. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clearIdleTimer();
    const child = this.#child;
    this.#lose(new Error("the portrait process was closed"));
    for (const waiting of this.#queue.splice(0)) waiting.reject(new Error("the portrait process was closed"));
    if (child && child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => child.once("exit", resolve));
    }
  }

  #add(task: PortraitTask, onProgress: (share: number) => void = () => undefined): Promise<PortraitResult> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error("the portrait process was closed"));
      this.#queue.push({ task, onProgress, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const waiting = this.#queue.shift();
    this.#clearIdleTimer();
    if (!waiting) {
      this.#idleTimer = setTimeout(() => this.#lose(new Error("idle")), IDLE_MS).unref();
      return;
    }
    const child = this.#child ?? this.#start();
    const id = this.#nextId++;
    const timer = this.#startTimer(START_TIMEOUT_MS);
    this.#current = { ...waiting, id, timer };
    child.send({ id, ...waiting.task }, (error) => {
      if (error && this.#current?.id === id) {
        this.#lose(error);
        this.#next();
      }
    });
  }

  #startTimer(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#options.logger.warn({ timeoutMs, task: this.#current?.task.task }, "portrait process took too long");
      this.#lose(
        new ServiceError("SERVICE_UNAVAILABLE", "The machine is too busy to look at files now; try again", {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
      );
      this.#next();
    }, timeoutMs);
  }

  #start(): ChildProcess {
    const child = fork(CHILD_PATH, {
      execArgv: [`--import=${LOADER_URL}`],
      serialization: "advanced",
      stdio: "inherit",
    });
    const niceness = this.#options.niceness ?? 0;
    if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
    child.on("message", (reply: PortraitReply) => this.#receive(reply));
    child.on("error", (error) => this.#options.logger.error({ err: error }, "portrait process could not be run"));
    child.once("exit", (code, signal) => {
      if (this.#child !== child) return;
      this.#options.logger.warn({ code, signal }, "portrait process ended unexpectedly");
      this.#lose(new Error(`the portrait process ended (${signal ?? code})`));
      if (!this.#isClosed) this.#next();
    });
    this.#child = child;
    return child;
  }

  #receive(reply: PortraitReply): void {
    const current = this.#current;
    if (!current || current.id !== reply.id) return;
    if (reply.type === "begun") {
      clearTimeout(current.timer);
      current.timer = this.#startTimer(TIMEOUTS_MS[current.task.task]);
      return;
    }
    if (reply.type === "progress") {
      current.onProgress(reply.share);
      return;
    }
    clearTimeout(current.timer);
    this.#current = null;
    if (reply.type === "done") current.resolve(reply.result);
    else if (reply.type === "refused") current.reject(new ServiceError(reply.code, reply.message));
    else current.reject(new Error(reply.message));
    this.#next();
  }

  /** Gives up the child and whatever it was doing. */
  #lose(error: Error): void {
    const child = this.#child;
    const current = this.#current;
    this.#child = null;
    this.#current = null;
    child?.kill("SIGKILL");
    if (!current) return;
    clearTimeout(current.timer);
    current.reject(error);
  }

  #clearIdleTimer(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
  }
}
