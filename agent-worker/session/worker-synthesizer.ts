// The worker's synthesizer, as one of its session processes uses it: a sentence goes to the worker, and its audio comes
// back.
import { EngineError } from "../../src/engine-error.ts";
import type { SentenceTask, SpokenSamples } from "../../src/voice/espeak-messages.ts";
import type { SentenceSynthesizer } from "../../src/voice/espeak-synthesizer.ts";
import type { SentenceReply } from "./session-messages.ts";

interface PendingSentence {
  resolve(spoken: SpokenSamples): void;
  reject(error: EngineError): void;
}

export class WorkerSynthesizer implements SentenceSynthesizer {
  readonly #send: (id: number, task: SentenceTask) => void;
  readonly #pending = new Map<number, PendingSentence>();
  #lastId = 0;
  #isClosed = false;

  /** `send` passes a sentence to the worker, which answers with its id. */
  constructor(send: (id: number, task: SentenceTask) => void) {
    this.#send = send;
  }

  speak(task: SentenceTask): Promise<SpokenSamples> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedError());
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#send(id, task);
    });
  }

  /** The worker has answered. */
  take(reply: SentenceReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("spoken" in reply) pending?.resolve(reply.spoken);
    else pending?.reject(new EngineError(reply.code, reply.message));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(closedError());
    this.#pending.clear();
  }
}

function closedError(): EngineError {
  return new EngineError("unavailable", "The voice is closed.");
}
