// Child processes that make and try faces for a self-hosted worker: baking for launches, and test frames and benchmarks
// that must not disturb the sessions.
import { isTaskError } from "../../../program/child-process/task-error.ts";
import { TaskPool } from "../../../program/child-process/task-pool.ts";
import type { Logger } from "../../../program/log.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { BakeTask, BenchmarkTask, FaceResult, FaceTask, FaceTasks } from "./face-messages.ts";

/** An idle process is ended after this time, to free its memory. */
const IDLE_MS = 120_000;
/** A bake takes three seconds, and thirty on a machine with ten times too much to do. */
const BAKE_TIMEOUT_MS = 120_000;
const PROBE_TIMEOUT_MS = 120_000;
/** Below sessions, which have a frame due every 40 ms. */
const BAKE_NICENESS = 10;
const PROBE_NICENESS = 19;
/** Each waiting image takes up to 10 MB. */
const MAX_WAITING_BAKES = 16;
const MAX_WAITING_PROBES = 4;
const RETRY_AFTER_SECONDS = 5;

export class FaceWorkshop {
  readonly #bakes: TaskPool<FaceTask, FaceResult>;
  readonly #probes: TaskPool<FaceTask, FaceResult>;

  /** Starts nothing yet. */
  constructor({ logger }: { logger: Logger }) {
    const module = new URL("face-child.ts", import.meta.url);
    const log = logger.child({ process: "face" });
    const common = { module, log, idleMs: IDLE_MS, showsOutput: true };
    this.#bakes = new TaskPool({ ...common, niceness: BAKE_NICENESS, maxWaiting: MAX_WAITING_BAKES });
    this.#probes = new TaskPool({ ...common, niceness: PROBE_NICENESS, maxWaiting: MAX_WAITING_PROBES });
  }

  /** The `.imx` of an image. Throws VALIDATION_ERROR (400) for an image that cannot be used, with the reason, and
   *  SERVICE_UNAVAILABLE if too many wait. */
  async bake(input: Omit<BakeTask, "task">): Promise<Uint8Array> {
    const task = { task: "bake", ...input } as const;
    const { imx } = await run<"bake">(this.#bakes, task, BAKE_TIMEOUT_MS, "The image cannot be used: ");
    return imx;
  }

  /** The face at rest, as JPEG. Throws like `bake`. */
  async renderFrame(imx: Uint8Array): Promise<Uint8Array> {
    const { jpeg } = await run<"frame">(this.#probes, { task: "frame", imx }, PROBE_TIMEOUT_MS);
    return jpeg;
  }

  /** Mean time of an iteration, ms. Throws like `bake`. */
  async measure(input: Omit<BenchmarkTask, "task">): Promise<number> {
    const task = { task: "benchmark", ...input } as const;
    const { meanMs } = await run<"benchmark">(this.#probes, task, PROBE_TIMEOUT_MS);
    return meanMs;
  }

  /** Ends the processes. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#bakes.close(), this.#probes.close()]);
  }
}

async function run<Kind extends keyof FaceTasks>(
  pool: TaskPool<FaceTask, FaceResult>,
  task: FaceTasks[Kind]["task"],
  timeoutMs: number,
  prefix = "",
): Promise<FaceTasks[Kind]["result"]> {
  try {
    return (await pool.run(task, { timeoutMs })) as FaceTasks[Kind]["result"];
  } catch (error) {
    if (isEngineError(error)) throw new ServiceError("VALIDATION_ERROR", `${prefix}${error.message}`, { cause: error });
    if (!isTaskError(error) || error.reason === "failed") throw error;
    throw new ServiceError("SERVICE_UNAVAILABLE", "This worker is too busy for it now. Try again later.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}
