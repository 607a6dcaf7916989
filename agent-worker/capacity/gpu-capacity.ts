// How many sessions this worker's GPU can render besides those that it renders: what one takes of its time and memory,
// as measured while sessions run, against what is left.
import type { Gpu, GpuState } from "./gpu-load.ts";

/** Until sessions have been measured: share of the card's time, and memory. A process on a card takes some 400 MB
 *  before it renders. */
const UNKNOWN_SHARE = 0.1;
const UNKNOWN_BYTES = 600 * 1024 * 1024;
/** Silent faces render little, and may speak at any time. */
const LEAST_SHARE = 0.02;
const LEAST_BYTES = 300 * 1024 * 1024;
/** Of the card, kept for peaks. */
const RESERVE_SHARE = 0.1;

export class GpuCapacity {
  readonly #gpu: Gpu;
  /** The card as it was without our sessions. */
  #idle: GpuState | null = null;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** Sessions that can be added to the `held` ones on the card. `starting`: how many of them began in the last seconds,
   *  so that their work is not measured yet. Infinity while the driver tells nothing: then the processor decides. */
  freeSlots(held: number, starting: number): number {
    const state = this.#gpu.latest();
    if (state === null) return Number.POSITIVE_INFINITY;
    if (held === 0) this.#idle = state;
    const running = held - starting;
    const perSession = (used: number, unknown: number, least: number) =>
      running > 0 && this.#idle ? Math.max(least, used / running) : unknown;
    const bytes = perSession((this.#idle?.freeMemoryBytes ?? 0) - state.freeMemoryBytes, UNKNOWN_BYTES, LEAST_BYTES);
    const byMemory = Math.floor(state.freeMemoryBytes / bytes) - starting;
    if (state.freeShare === null) return Math.max(0, byMemory);
    const share = perSession((this.#idle?.freeShare ?? 1) - state.freeShare, UNKNOWN_SHARE, LEAST_SHARE);
    const byTime = Math.floor((state.freeShare - RESERVE_SHARE) / share) - starting;
    return Math.max(0, Math.min(byTime, byMemory));
  }
}
