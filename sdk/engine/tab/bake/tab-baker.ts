// Makes an avatar from a picture in this tab: nothing is sent.
//
//   const baker = new TabBaker();
//   baker.prepare();                                     // A picture is about to come: fetches 5 MB, once.
//   const found = await baker.findFaces(file);
//   if (!found.flaw) {
//     const { imx } = await baker.bake({ face: 0 }, { onProgress });
//     …
//   }
//   baker.close();
//
// With several faces (`found.flaw.kind` is `several`) let the visitor choose, and find again with
// `{ ...found.edit, crop: face.surroundings }`. `picture()` then is what makes the same avatar at the service.

import { startWorker } from "../start-worker.ts";
import type {
  BakedFace,
  BakeResults,
  BakeSettings,
  BakeTask,
  FoundFaces,
  FromWorker,
  PictureEdit,
  ToWorker,
} from "./bake-messages.ts";
import { TabBakeError, type TabBakeProblem, tabBakeError } from "./tab-bake-error.ts";

/** Fetching included: 5 MB over a slow line. */
const TASK_TIMEOUT_MS = 120_000;

const NEEDS_ANOTHER_WORKER: ReadonlySet<TabBakeProblem> = new Set([
  "webassembly",
  "browser",
  "network",
  "package",
  "memory",
]);

export interface TaskOptions {
  /** Ends the task; its promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface BakeOptions extends TaskOptions, BakeSettings {
  /** 0..1. */
  onProgress?: (share: number) => void;
}

interface WaitingTask {
  resolve(result: BakeResults[keyof BakeResults]): void;
  reject(error: unknown): void;
  onProgress?: (share: number) => void;
}

/** One picture at a time. Tasks run one after the other. All methods but `close` throw TabBakeError. */
export class TabBaker {
  readonly #assets: string | URL | undefined;
  #worker: Worker | undefined;
  #waiting = new Map<number, WaitingTask>();
  #lastId = 0;
  #picture: Blob | undefined;
  #pictureNumber = 0;
  #isClosed = false;

  /** `assets`: as in `OpenOptions`. */
  constructor(assets?: string | URL) {
    this.#assets = assets;
  }

  /** Fetches and starts what finds and bakes, unless that has happened. For the moment in which a picture becomes
   *  likely (pointer over the place for it, dragenter, focus, camera opened). Failures are reported by the task that
   *  needs it. */
  prepare(): void {
    this.#ask({ task: "prepare" }).catch(() => undefined);
  }

  /** Finds the faces of a picture, upright as the camera held it. The same Blob again, with another edit, is not
   *  decoded again. */
  async findFaces(picture: Blob, { signal, ...edit }: PictureEdit & TaskOptions = {}): Promise<FoundFaces> {
    if (picture !== this.#picture) {
      this.#picture = picture;
      this.#pictureNumber += 1;
    }
    return this.#ask({ task: "find", picture, number: this.#pictureNumber, edit }, { signal });
  }

  /** Bakes a face of the last `findFaces`, given by its place in `faces`. */
  async bake({ face }: { face: number }, { signal, onProgress, ...settings }: BakeOptions = {}): Promise<BakedFace> {
    return this.#ask({ task: "bake", face, settings }, { signal, onProgress });
  }

  /** The picture of the last `findFaces` as edited, as a JPEG: to show, and for the service. */
  async picture(options: TaskOptions = {}): Promise<Blob> {
    return this.#ask({ task: "picture" }, options);
  }

  /** Gives all memory back. Waiting tasks reject. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#end(new DOMException("the baker was closed", "AbortError"));
  }

  #ask<Task extends BakeTask>(
    task: Task,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?: (share: number) => void } = {},
  ): Promise<BakeResults[Task["task"]]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new DOMException("the baker was closed", "AbortError");
      signal?.throwIfAborted();
      const worker = this.#started();
      const timer = setTimeout(() => this.#end(tabBakeError("timeout")), TASK_TIMEOUT_MS);
      const onAbort = () => {
        worker.postMessage({ id, cancel: true } satisfies ToWorker);
        settle().reject(signal?.reason);
      };
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#waiting.delete(id);
        return { resolve, reject };
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiting.set(id, {
        resolve: (result) => settle().resolve(result as BakeResults[Task["task"]]),
        reject: (error) => settle().reject(error),
        onProgress,
      });
      worker.postMessage({ id, task } satisfies ToWorker);
    });
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    let worker: Worker;
    try {
      worker = startWorker(
        () => new Worker(new URL("./bake-worker.ts", import.meta.url), { type: "module" }),
        "bake-worker.js",
        this.#assets,
      );
    } catch (cause) {
      throw tabBakeError("browser", cause);
    }
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
    // Its script could not be fetched or run, or it ended itself, as for want of memory.
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      // Only an error in the script has a message.
      this.#end(tabBakeError(event.message ? "browser" : "network", event.message));
    });
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromWorker): void {
    const task = this.#waiting.get(message.id);
    if ("progress" in message) {
      task?.onProgress?.(message.progress);
    } else if ("result" in message) {
      task?.resolve(message.result);
    } else {
      const error = new TabBakeError(message.problem.code, message.problem.message);
      // What failed to load stays broken in that worker, and what ran out of memory gives none back.
      if (NEEDS_ANOTHER_WORKER.has(error.code)) this.#end(error);
      else task?.reject(error);
    }
  }

  /** Ends the worker; the next task starts another. */
  #end(error: unknown): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const task of [...this.#waiting.values()]) task.reject(error);
  }
}
