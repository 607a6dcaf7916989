// eSpeak NG in a process of its own, started on first use and restarted after a crash.
import { TaskPool } from "../child-process/task-pool.ts";
import type { SentenceTask, SpokenSamples } from "./espeak-messages.ts";
import type { Synthesizer } from "./synthesizer.ts";
import { toVoiceError } from "./voice-error.ts";

const DEFAULT_QUEUE_LIMIT_SENTENCES = 64;
/** A sentence takes 5 to 100 ms. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** Speaks single sentences. */
export type SentenceSynthesizer = Synthesizer<SentenceTask, SpokenSamples>;

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
      throw toVoiceError(error);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
