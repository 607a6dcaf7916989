// eSpeak NG in a process of its own, started on first use and restarted after a crash.

import type { TaskProcessLog } from "../child-process/task-process.ts";
import type { SentenceTask, SpokenSamples } from "./espeak-messages.ts";
import { PooledSynthesizer } from "./pooled-synthesizer.ts";
import type { Synthesizer } from "./synthesizer.ts";

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
  /** Scheduling priority of the process, 0 (as this one) to 19. Default 0. */
  niceness?: number;
  /** Default: nothing is logged. */
  log?: TaskProcessLog;
  /** The process is ended after this time without a sentence, ms. Default: never. */
  idleMs?: number;
}

export class EspeakSynthesizer extends PooledSynthesizer<SentenceTask, SpokenSamples> {
  constructor(options: EspeakSynthesizerOptions = {}) {
    super({
      module: new URL("./espeak-process.ts", import.meta.url),
      queueLimit: options.queueLimitSentences ?? DEFAULT_QUEUE_LIMIT_SENTENCES,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      startTimeoutMs: options.startTimeoutMs,
      log: options.log,
      niceness: options.niceness,
      idleMs: options.idleMs,
    });
  }
}
