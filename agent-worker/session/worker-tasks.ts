// Tasks that the worker performs for one of its session processes: a task goes to the worker, its result comes back.
import { EngineError } from "../../src/engine-error.ts";
import type { WorkerReply } from "./session-messages.ts";

interface PendingTask<Result> {
  resolve(result: Result): void;
  reject(error: EngineError): void;
}

export class WorkerTasks<Task, Result> {
  readonly #send: (id: number, task: Task) => void;
  readonly #pending = new Map<number, PendingTask<Result>>();
  #lastId = 0;
  #isClosed = false;

  /** `send` passes a task to the worker, which answers with its id. */
  constructor(send: (id: number, task: Task) => void) {
    this.#send = send;
  }

  /** Throws EngineError: that of the task, or unavailable once it is closed. */
  run(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedError());
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#send(id, task);
    });
  }

  /** The worker has answered. */
  take(reply: WorkerReply<Result>): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("result" in reply) pending?.resolve(reply.result);
    else pending?.reject(new EngineError(reply.code, reply.message));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(closedError());
    this.#pending.clear();
  }
}

function closedError(): EngineError {
  return new EngineError("unavailable", "The session has ended.");
}
