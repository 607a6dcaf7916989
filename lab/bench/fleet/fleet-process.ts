// A program of a fleet: runs in a process group of its own, writes its output to a file, and ends with this process.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

export interface FleetProgram {
  /** Name in errors. */
  name: string;
  file: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Both outputs are appended here. */
  logFile: string;
}

const POLL_MS = 50;
const LAST_LINES = 12;

/** Those that run: all end with this process. */
const running = new Set<FleetProcess>();
process.once("exit", () => {
  for (const each of running) each.signal("SIGKILL");
});

/** Running from `start()` until it ends or is ended. */
export class FleetProcess {
  readonly #program: FleetProgram;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(program: FleetProgram) {
    this.#program = program;
    const log = openSync(program.logFile, "a", 0o600);
    this.#child = spawn(program.file, program.args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: program.environment,
    });
    closeSync(log);
    // Also if it cannot be started.
    this.#exited = Promise.race([once(this.#child, "exit"), once(this.#child, "error").catch(() => {})]);
    running.add(this);
    void this.#exited.finally(() => running.delete(this));
  }

  /** Starts the program and resolves when `isReady` does with true. Throws Error with its last output if it ends first
   *  or is not ready after `timeoutMs`; it has ended then. */
  static async start(program: FleetProgram, isReady: () => Promise<boolean>, timeoutMs: number): Promise<FleetProcess> {
    const started = new FleetProcess(program);
    const deadline = performance.now() + timeoutMs;
    while (!(await isReady().catch(() => false))) {
      const isLate = performance.now() > deadline;
      if (started.isRunning && !isLate) {
        await delay(POLL_MS);
        continue;
      }
      await started.kill();
      const log = await readFile(program.logFile, "utf8").catch(() => "");
      const lines = log.trim().split("\n").slice(-LAST_LINES).join("\n");
      throw new Error(`${program.name} ${isLate ? "was not ready in time" : "did not start"}:\n${lines}`);
    }
    return started;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined;
  }

  /** What it has written so far. */
  readLog(): Promise<string> {
    return readFile(this.#program.logFile, "utf8");
  }

  /** Kills it with all that it started (SIGKILL). Idempotent; resolves when it is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    if (this.isRunning) await this.#exited;
  }

  /** Sends it alone a signal, and kills its group after `timeoutMs`. Resolves when it is gone. */
  async stop(signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.signal("SIGKILL"), timeoutMs);
    await this.#exited;
    clearTimeout(timer);
    // What it may have left.
    this.signal("SIGKILL");
  }

  /** Sends a signal to it and all that it started. */
  signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid) process.kill(-this.#child.pid, signal);
    } catch {
      // The whole group has ended.
    }
  }
}
