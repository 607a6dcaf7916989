// The speech recognition of a host: one process for all speakers, started on first use and ended after minutes of
// silence.

import { TaskPool, type TaskPoolOptions } from "../../../program/child-process/task-pool.ts";
import { toEngineError } from "../../../program/child-process/to-engine-error.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { MAX_RECOGNITION_S, type Recognition, type RecognitionOptions } from "./recogniser.ts";
import type { RecognitionTask } from "./recognition-messages.ts";

export interface SpeechRecogniserOptions extends Pick<TaskPoolOptions, "idleMs" | "log" | "niceness"> {
  /** Longest wait for the utterances of others. Default 15,000: the words of a person in a conversation are of no use
   *  later. */
  maxWaitMs?: number;
}

export interface TranscriptionOptions extends RecognitionOptions {
  /** Owner of the utterance; owners take turns. Default: one owner for all. */
  owner?: string;
  /** Default: 16 kHz. */
  sampleRateHz?: number;
}

const DEFAULT_MAX_WAIT_MS = 15_000;
/** The longest audio, on a machine with ten times too much to do. */
const TIMEOUT_MS = MAX_RECOGNITION_S * 1000;
const MAX_WAITING = 64;
const MAX_WAITING_PER_OWNER = 4;
const DEFAULT_IDLE_MS = 10 * 60_000;
/** As the voice: live video frames come first. */
const DEFAULT_NICENESS = 5;

/** Recognises speech in a process of its own. */
export class SpeechRecogniser {
  readonly #pool: TaskPool<RecognitionTask, Recognition>;
  readonly #maxWaitMs: number;

  /** Starts nothing yet. */
  constructor(options: SpeechRecogniserOptions = {}) {
    const { idleMs = DEFAULT_IDLE_MS, niceness = DEFAULT_NICENESS, maxWaitMs = DEFAULT_MAX_WAIT_MS, log } = options;
    this.#maxWaitMs = maxWaitMs;
    this.#pool = new TaskPool({
      module: new URL("./recognition-process.ts", import.meta.url),
      maxWaiting: MAX_WAITING,
      maxWaitingPerOwner: MAX_WAITING_PER_OWNER,
      idleMs,
      niceness,
      log,
    });
  }

  /** Loads the network ahead of the first utterance. Safe to repeat. Never throws. */
  warmUp(): void {
    this.#pool.warmUp();
  }

  /** `samples`: mono, at most ten minutes. Throws EngineError: too-large; unavailable (too many utterances
   *  wait, no network, or closed); timeout or program-failed. Rejects with the signal's reason if it is aborted. */
  async transcribe(
    samples: Int16Array,
    { language, signal, owner, sampleRateHz = SPEECH_SAMPLE_RATE_HZ }: TranscriptionOptions = {},
  ): Promise<Recognition> {
    const options = { timeoutMs: TIMEOUT_MS, maxWaitMs: this.#maxWaitMs, owner, signal };
    try {
      return await this.#pool.run({ samples, sampleRateHz, language }, options);
    } catch (error) {
      throw toEngineError(error, "recogniser", "utterances");
    }
  }

  /** Ends the process; utterances that are not recognised yet fail. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
