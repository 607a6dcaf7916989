// The page's end of a worker that renders one avatar.
import { EngineError } from "../../../../shared/engine-error.ts";
import { startWorker } from "../start-worker.ts";
import { fromProblem } from "./problem.ts";
import type { FromRenderWorker, RenderCall, RenderOrder, RenderResults, ToRenderWorker } from "./render-messages.ts";

interface Waiting {
  resolve(result: RenderResults[keyof RenderResults]): void;
  reject(error: unknown): void;
}

export class WorkerLink {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  /** Renderings that want to know when they need a piece of their speech. */
  readonly #onPull = new Map<number, () => void>();
  #lastId = 0;
  #lastRendering = 0;
  #end: Error | undefined;

  /** Starts the worker. Throws EngineError(unavailable) if the browser has none. */
  constructor(assets: string | URL | undefined) {
    this.#worker = startWorker(
      () => new Worker(new URL("./render-worker.ts", import.meta.url), { type: "module" }),
      "render-worker.js",
      assets,
    );
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromRenderWorker>) => this.#receive(data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      // Only an error in the script has a message.
      const why = event.message
        ? `The renderer failed: ${event.message}`
        : "The renderer's script could not be loaded. It must lie on the page's origin and be allowed by worker-src of its policy; see the option assets.";
      this.close(new EngineError("unavailable", why));
    });
  }

  call<Call extends RenderCall>(call: Call, transfer: Transferable[] = []): Promise<RenderResults[Call["name"]]> {
    return new Promise((resolve, reject) => {
      if (this.#end) throw this.#end;
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { resolve: resolve as Waiting["resolve"], reject });
      this.#worker.postMessage({ id: this.#lastId, call } satisfies ToRenderWorker, transfer);
    });
  }

  tell(order: RenderOrder): void {
    if (!this.#end) this.#worker.postMessage(order satisfies ToRenderWorker);
  }

  /** Number of a new rendering. `onPull` is called when it needs the next piece of its speech. */
  register(onPull: () => void): number {
    this.#lastRendering += 1;
    this.#onPull.set(this.#lastRendering, onPull);
    return this.#lastRendering;
  }

  forget(rendering: number): void {
    this.#onPull.delete(rendering);
    this.tell({ order: "leave", rendering });
  }

  /** Ends the worker; calls that wait fail with `reason`. Idempotent. */
  close(reason: Error): void {
    if (this.#end) return;
    this.#end = reason;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #receive(message: FromRenderWorker): void {
    if ("pull" in message) {
      this.#onPull.get(message.pull)?.();
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ("result" in message) waiting?.resolve(message.result);
    else waiting?.reject(fromProblem(message.problem));
  }
}
