// The worker's speech recognition, as one of its sessions uses it.
import { EngineError } from "../../shared/engine-error.ts";
import type { ConversationStt } from "../../src/conversation/turns/conversation-parts.ts";
import type { TranscribeOptions, Transcription } from "../../src/speech/recognition/transcription-client.ts";
import type { WorkerTasks } from "./worker-tasks.ts";

/** Longest wait for a text, ms: five minutes of speech take 20 s of a core. */
const DEFAULT_TIMEOUT_MS = 30_000;

export interface WorkerRecogniserOptions {
  tasks: Pick<WorkerTasks, "run">;
  sessionId: string;
  /** Default 30,000. */
  timeoutMs?: number;
}

export class WorkerRecogniser implements ConversationStt {
  readonly #options: WorkerRecogniserOptions;

  constructor(options: WorkerRecogniserOptions) {
    this.#options = options;
  }

  /** `samples`: mono at 16 kHz. Throws EngineError: as the worker's recogniser, and timeout. Rejects with the signal's
   *  reason if it is aborted. */
  async transcribe(samples: Int16Array, { language, signal }: TranscribeOptions): Promise<Transcription> {
    const { tasks, sessionId, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const late = AbortSignal.timeout(timeoutMs);
    const stop = signal ? AbortSignal.any([signal, late]) : late;
    try {
      return await tasks.run("transcribe", { samples, language }, sessionId, stop);
    } catch (cause) {
      signal?.throwIfAborted();
      if (!late.aborted) throw cause;
      throw new EngineError("timeout", `The worker's recogniser sent no text within ${timeoutMs / 1000} s.`, { cause });
    }
  }
}
