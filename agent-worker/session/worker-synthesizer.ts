// A synthesizer of the worker, as one of its session processes uses it.
import type { Synthesizer } from "../../src/voice/synthesizer.ts";
import { WorkerTasks } from "./worker-tasks.ts";

export class WorkerSynthesizer<Task, Spoken> extends WorkerTasks<Task, Spoken> implements Synthesizer<Task, Spoken> {
  readonly #warmUp: () => void;

  /** `send` passes a task to the worker, which answers with its id. `warmUp` tells the worker that tasks will come. */
  constructor(send: (id: number, task: Task) => void, warmUp: () => void = () => undefined) {
    super(send);
    this.#warmUp = warmUp;
  }

  warmUp(): void {
    this.#warmUp();
  }

  speak(task: Task): Promise<Spoken> {
    return this.run(task);
  }
}
