// One child of the start command (the api, the avatar worker): started in a process group of its own, restarted when it
// dies, stopped gracefully, then killed.
//
//   new       not started yet                             → running, stopped
//   running   the process exists                          → waiting (it died), given up, stopped
//   waiting   it is started again after a backoff         → running, waiting (not started), given up, stopped
//   given up  it died too often, or before it was ready   → stopped
//   stopped   by `stop()` or `kill()`                     (final)
import { type ChildProcess, type Serializable, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import type { Program } from "../build/build-programs.ts";
import { rotateLog } from "./log-rotation.ts";
import { THREAD_POOL } from "./thread-pool.ts";

type ServiceProcessState = "new" | "running" | "waiting" | "given up" | "stopped";

const MOVES = defineMoves<ServiceProcessState>({
  new: ["running", "stopped"],
  running: ["waiting", "given up", "stopped"],
  waiting: ["running", "waiting", "given up", "stopped"],
  "given up": ["stopped"],
  stopped: [],
});

export interface ServiceProcessOptions {
  /** Name in messages. */
  name: string;
  /** What it runs; see `sourceProgram` and `buildProgram`. */
  program: Program;
  args?: string[];
  environment: NodeJS.ProcessEnv;
  /** Both outputs are appended here. */
  logFile: string;
  /** Exits within ten minutes after which it is not restarted. */
  restartLimit: number;
  /** Signal for a graceful stop; default SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** Time to stop after that signal, in ms; then it is killed. */
  stopTimeoutMs: number;
  /** Receives a line for every unexpected exit. */
  report: (line: string) => void;
  /** Called with the last log lines when the limit is reached. */
  onGivenUp: (reason: string) => void;
  /** Called with the process id of every start. */
  onStarted?: (pid: number) => void;
  /** Opens a channel to the child and is called with its messages; they may bring a connection. Default: no channel. */
  onMessage?: (message: unknown, handle: unknown) => void;
  /** Called after every exit. */
  onExit?: () => void;
}

const RESTART_WINDOW_MS = 10 * 60_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
const LAST_WORDS_LINES = 8;

/** Runs from `start()` to `stop()`. */
export class ServiceProcess {
  readonly #options: ServiceProcessOptions;
  readonly #state = new StateMachine(MOVES, "new");
  /** Connections that are being handed to the child. */
  readonly #onTheirWay = new Set<Socket>();
  readonly #deaths: number[] = [];
  readonly #stopping = new AbortController();
  #child: ChildProcess | null = null;
  #wasReady = false;
  #exited: Promise<void> = Promise.resolve();

  constructor(options: ServiceProcessOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Hands a message, and a connection with it, to the child. Returns false if no child runs or it has no channel; the
   *  connection is then still the caller's. One that a child dies with is closed. */
  hand(message: object, socket: Socket): boolean {
    const child = this.#child;
    if (!child?.connected) return false;
    // Node sends one connection after the other, and forgets those that still wait when the child dies. It would also
    // keep the one open that the child has not confirmed, so this process closes its own side once it is sent.
    this.#onTheirWay.add(socket);
    child.send(message as Serializable, socket, { keepOpen: true }, () => {
      this.#onTheirWay.delete(socket);
      socket.destroy();
    });
    return true;
  }

  /** Its process id, or null while it does not run. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Starts it. Resolves once the process exists; it may not be ready yet. */
  async start(): Promise<void> {
    await rotateLog(this.#options.logFile);
    this.#spawn();
  }

  /** Must be called once the child answers. A child that exits before is not restarted: it would only fail again. */
  markReady(): void {
    this.#wasReady = true;
  }

  /** Ends it and everything it started. Idempotent; resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#enterStopped();
    const child = this.#child;
    if (child) {
      child.kill(this.#options.stopSignal ?? "SIGTERM");
      const timer = setTimeout(() => this.kill(), this.#options.stopTimeoutMs);
      await this.#exited;
      clearTimeout(timer);
    }
  }

  /** Ends it at once, with its whole process group. Idempotent. */
  kill(): void {
    this.#enterStopped();
    endGroup(this.#child);
  }

  #enterStopped(): void {
    if (!this.#state.is("stopped")) this.#state.enter("stopped");
    this.#stopping.abort();
  }

  /** Does nothing once it is stopped. */
  #spawn(): void {
    if (this.#state.is("stopped")) return;
    const { program, args = [], environment, logFile } = this.#options;
    const log = openSync(logFile, "a", 0o600);
    const child = spawn(process.execPath, [...program.nodeFlags, program.script, ...args], {
      // A group of its own: Ctrl-C in the terminal reaches only the start command, which then stops the parts in order.
      detached: true,
      env: { ...THREAD_POOL, ...environment },
      stdio: this.#options.onMessage ? ["ignore", log, log, "ipc"] : ["ignore", log, log],
    });
    closeSync(log);
    this.#child = child;
    this.#state.enter("running");
    if (this.#options.onMessage) child.on("message", this.#options.onMessage);
    if (child.pid) this.#options.onStarted?.(child.pid);
    this.#exited = new Promise((resolve) => {
      const settle = (how: string) => {
        if (this.#child !== child) return;
        // Its own children must not outlive it.
        endGroup(child);
        this.#child = null;
        for (const socket of this.#onTheirWay) socket.destroy();
        this.#onTheirWay.clear();
        this.#options.onExit?.();
        resolve();
        if (!this.#state.is("stopped")) void this.#restart(how);
      };
      child.once("error", (error) => settle(error.message));
      child.once("exit", (status, signal) => settle(signal ? `ended by ${signal}` : `status ${status}`));
    });
  }

  async #restart(how: string): Promise<void> {
    const { name, logFile, restartLimit, report, onGivenUp } = this.#options;
    const now = Date.now();
    this.#deaths.push(now);
    const recent = this.#deaths.filter((diedAt) => now - diedAt < RESTART_WINDOW_MS).length;
    if (recent > restartLimit || !this.#wasReady) {
      this.#state.enter("given up");
      const log = await readFile(logFile, "utf8").catch(() => "");
      const lines = log.trim().split("\n").slice(-LAST_WORDS_LINES).join("\n");
      const death = this.#wasReady ? `ended ${recent} times (${how})` : `ended while starting (${how})`;
      onGivenUp(`The ${name} ${death}. Its log, ${logFile}, ends with:\n${lines}`);
      return;
    }
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (recent - 1), LONGEST_BACKOFF_MS);
    this.#state.enter("waiting");
    report(`the ${name} ended (${how}): starting it again in ${backoffMs / 1000} s`);
    try {
      await delay(backoffMs, undefined, { signal: this.#stopping.signal });
    } catch {
      return; // Stopped while waiting.
    }
    try {
      this.#spawn();
    } catch (error) {
      // No descriptor or memory for it now.
      await this.#restart(`not started: ${(error as Error).message}`);
    }
  }
}

/** Kills a process group. No error if it is gone already. */
function endGroup(leader: ChildProcess | null): void {
  if (!leader?.pid) return;
  try {
    process.kill(-leader.pid, "SIGKILL");
  } catch {
    // The group is gone already.
  }
}
