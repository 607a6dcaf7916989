// The process of fetched voices, started on first use, ended when it was idle, and restarted after a crash.

import type { PieceAudio } from "../neural/neural-messages.ts";
import { PooledSynthesizer } from "../pooled-synthesizer.ts";
import type { Synthesizer } from "../synthesizer.ts";
import type { FetchedTask } from "./fetched-messages.ts";

/** Speaks single sentences. */
export type FetchedSentenceSynthesizer = Synthesizer<FetchedTask, PieceAudio>;

const DEFAULT_QUEUE_LIMIT_SENTENCES = 16;
const MOST_WAITING = 64;
/** A sentence takes half a second on a free machine. */
const TIMEOUT_MS = 30_000;
const DEFAULT_IDLE_MS = 10 * 60_000;
/** As the neural voice: live sessions come first. */
const DEFAULT_NICENESS = 5;

export interface FetchedSynthesizerOptions {
  /** The process is ended after this time without a sentence, ms. Default ten minutes. */
  idleMs?: number;
  /** Priority of the process, 0 to 19. Default 5. */
  niceness?: number;
}

export class FetchedSynthesizer extends PooledSynthesizer<FetchedTask, PieceAudio> {
  constructor(options: FetchedSynthesizerOptions = {}) {
    super({
      module: new URL("./fetched-process.ts", import.meta.url),
      niceness: options.niceness ?? DEFAULT_NICENESS,
      idleMs: options.idleMs ?? DEFAULT_IDLE_MS,
      maxWaiting: MOST_WAITING,
      queueLimit: DEFAULT_QUEUE_LIMIT_SENTENCES,
      timeoutMs: TIMEOUT_MS,
    });
  }
}
