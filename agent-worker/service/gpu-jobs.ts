// The jobs of a worker that are rendered on its GPU: which they are, how many more the card takes, and the source of
// those that need a card. That source is a registration of its own, under the agent name with `-gpu` added and with the
// card's load. Workers without a card would reject these jobs one after the other, and one load for both (the smaller
// capacity) would let a full card keep sessions away from an idle processor. Processes share no calls on the card,
// because a shared one would end all their sessions when it dies.
import type { DispatchMetadata } from "../../shared/runtime-api.ts";
import { GpuCapacity } from "../capacity/gpu-capacity.ts";
import type { Gpu } from "../capacity/gpu-load.ts";
import { SessionSlots } from "../capacity/session-slots.ts";
import type { JobListener, JobSource } from "./job-source.ts";

export interface WorkerGpu {
  card: Gpu;
  /** Whether sessions are rendered on it whatever their model, unless its name pins the CPU. */
  rendersAll: boolean;
  /** Opens the source of jobs that need a GPU. Absent if they come from the same source as all others. */
  openJobs?(listener: JobListener): JobSource;
}

export class GpuJobs {
  readonly #capacity: GpuCapacity;
  readonly #rendersAll: boolean;
  /** Of the jobs that need a card, if they have one of their own. */
  readonly source: JobSource | null;
  /** Of the card. */
  readonly slots = new SessionSlots();

  constructor(gpu: WorkerGpu, listener: JobListener) {
    this.#capacity = new GpuCapacity(gpu.card);
    this.#rendersAll = gpu.rendersAll;
    this.source = gpu.openJobs?.(listener) ?? null;
  }

  /** Whether a session is rendered on the card. */
  renders({ provider }: Pick<DispatchMetadata, "provider">): boolean {
    return provider === "cuda" || (this.#rendersAll && provider !== "cpu");
  }

  /** Sessions that the card can take besides those present. `isStarting`: whether a job began so recently that
   *  its work is not measured yet. */
  freeSlots(isStarting: (jobId: string) => boolean): number {
    return this.#capacity.freeSlots(this.slots.present, this.slots.count(isStarting));
  }

  /** Most sessions of any model that the worker runs, as far as the card decides. */
  limitOf(sessions: number, isStarting: (jobId: string) => boolean): number {
    return this.#rendersAll ? sessions + this.freeSlots(isStarting) : Number.POSITIVE_INFINITY;
  }
}
