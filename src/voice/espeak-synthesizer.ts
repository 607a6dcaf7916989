// eSpeak NG in a process of its own, started on first use and restarted after a crash.
import { isTaskError, type TaskError } from "../child-process/task-error.ts";
import { TaskPool } from "../child-process/task-pool.ts";
import { EngineError } from "../engine-error.ts";
import type { SentenceTask, SpokenSamples } from "./espeak-messages.ts";

const DEFAULT_QUEUE_LIMIT_SENTENCES = 64;
/** A sentence takes 5 to 100 ms. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** Speaks single sentences. */
export interface SentenceSynthesizer {
  /** Throws EngineError: unavailable (no synthesizer, too much waiting, or closed), timeout or program-failed. */
  speak(task: SentenceTask): Promise<SpokenSamples>;
  /** Sentences not yet spoken fail. Idempotent. */
  close(): Promise<void>;
}

export interface EspeakSynthesizerOptions {
  /** Most sentences of one owner that are spoken or wait at a time; more are refused with unavailable. Default 64. */
  queueLimitSentences?: number;
  /** Time limit of one sentence, ms. After it the process is killed, and the next sentence starts a fresh one. Default
   *  15,000. */
  timeoutMs?: number;
  /** Added to that while the process starts, ms. Default 60,000. */
  startTimeoutMs?: number;
}

export class EspeakSynthesizer implements SentenceSynthesizer {
  readonly #pool: TaskPool<SentenceTask, SpokenSamples>;
  readonly #timeoutMs: number;

  constructor(options: EspeakSynthesizerOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#pool = new TaskPool({
      module: new URL("./espeak-process.ts", import.meta.url),
      startTimeoutMs: options.startTimeoutMs,
      // One more is being spoken.
      maxWaitingPerOwner: (options.queueLimitSentences ?? DEFAULT_QUEUE_LIMIT_SENTENCES) - 1,
    });
  }

  /** Starts the process ahead of the first sentence, which then waits for nothing. Safe to repeat. Never throws: a
   *  process that cannot be started shows when a sentence is spoken. */
  warmUp(): void {
    try {
      this.#pool.warmUp();
    } catch {
      // The first sentence tries again.
    }
  }

  /** `owner`: whose sentence it is; owners take turns. Default: one owner for all. */
  async speak(task: SentenceTask, owner = ""): Promise<SpokenSamples> {
    try {
      return await this.#pool.run(task, { timeoutMs: this.#timeoutMs, owner });
    } catch (error) {
      throw isTaskError(error) ? toEngineError(error) : error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function toEngineError(cause: TaskError): EngineError {
  switch (cause.reason) {
    case "busy":
      return new EngineError("unavailable", "Too many sentences are waiting for the voice. Try again.", { cause });
    case "closed":
      return new EngineError("unavailable", "The voice is closed.", { cause });
    case "timeout":
      return new EngineError("timeout", "The voice did not answer in time. Try again.", { cause });
    default:
      return new EngineError("program-failed", "The voice process failed.", { cause });
  }
}
