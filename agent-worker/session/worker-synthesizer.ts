// A synthesizer of the worker, as one of its session processes uses it: a task goes to the worker, and its audio comes
// back.
import { EngineError } from "../../src/engine-error.ts";
import type { Synthesizer } from "../../src/voice/synthesizer.ts";
import type { VoiceReply } from "./session-messages.ts";

interface PendingTask<Spoken> {
  resolve(spoken: Spoken): void;
  reject(error: EngineError): void;
}

export class WorkerSynthesizer<Task, Spoken> implements Synthesizer<Task, Spoken> {
  readonly #send: (id: number, task: Task) => void;
  readonly #warmUp: () => void;
  readonly #pending = new Map<number, PendingTask<Spoken>>();
  #lastId = 0;
  #isClosed = false;

  /** `send` passes a task to the worker, which answers with its id. `warmUp` tells the worker that tasks will come. */
  constructor(send: (id: number, task: Task) => void, warmUp: () => void = () => undefined) {
    this.#send = send;
    this.#warmUp = warmUp;
  }

  warmUp(): void {
    this.#warmUp();
  }

  speak(task: Task): Promise<Spoken> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedError());
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#send(id, task);
    });
  }

  /** The worker has answered. */
  take(reply: VoiceReply<Spoken>): void {
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
