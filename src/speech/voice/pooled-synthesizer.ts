// A synthesizer in processes of its own, started on first use and restarted after a crash.
import { TaskPool, type TaskPoolOptions } from "../../../program/child-process/task-pool.ts";
import { toEngineError } from "../../../program/child-process/to-engine-error.ts";
import type { Synthesizer } from "./synthesizer.ts";

/** What users of a synthesizer may set; each has its own defaults. */
export interface SynthesizerOptions
  extends Pick<TaskPoolOptions, "idleMs" | "log" | "niceness" | "processes" | "startTimeoutMs">,
    Partial<Pick<PooledSynthesizerOptions, "queueLimit" | "timeoutMs">> {}

export interface PooledSynthesizerOptions extends Omit<TaskPoolOptions, "maxWaitingPerOwner"> {
  /** Most tasks of one owner that are performed or wait at a time; more are refused with unavailable. */
  queueLimit: number;
  /** Time limit of one task, ms. After it the process is killed, and the next task starts a fresh one. */
  timeoutMs: number;
}

export class PooledSynthesizer<Task, Spoken> implements Synthesizer<Task, Spoken> {
  readonly #pool: TaskPool<Task, Spoken>;
  readonly #timeoutMs: number;

  /** Starts nothing yet. */
  constructor({ queueLimit, timeoutMs, ...options }: PooledSynthesizerOptions) {
    this.#timeoutMs = timeoutMs;
    // One more is being performed.
    this.#pool = new TaskPool({ ...options, maxWaitingPerOwner: queueLimit - 1 });
  }

  /** Starts the process ahead of the first task, which then waits for nothing. Safe to repeat. Never throws: a process
   *  that cannot be started shows when something is spoken. */
  warmUp(): void {
    this.#pool.warmUp();
  }

  /** `owner`: of the task; owners take turns. Default: one owner for all. */
  async speak(task: Task, owner = ""): Promise<Spoken> {
    try {
      return await this.#pool.run(task, { timeoutMs: this.#timeoutMs, owner });
    } catch (error) {
      throw toEngineError(error, "voice", "sentences");
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
