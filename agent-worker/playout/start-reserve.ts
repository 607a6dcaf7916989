// How much of an utterance must have arrived before it starts. More means fewer holes and more latency: a real-time
// sender's audio is heard later by what is kept back.

/** On a machine that has room, ms. Measured beside other busy processes, 60 to 100 ms stay queued with it, and 17 to 49
 *  were left at the worst moments. So less would be heard, and more would take longer than 200 ms. */
const LEAST_MS = 100;
/** While the machine is full, ms: each process waits for its turn, senders and servers too. */
const FULL_MACHINE_MS = 140;
/** After each underrun, ms, up to the most. After the first one, latency is still below 200 ms. */
const GROWTH_MS = 40;
const MOST_MS = 260;
/** Time without an underrun after which the reserve is what it was before the last ones, ms. */
const KEPT_MS = 30_000;
/** Cores that are free below which a machine is full. */
const FULL_CORES = 0.1;

export interface StartReserveOptions {
  /** Cores that were free lately. Default: always enough. */
  freeCores?(): number;
  /** Monotonic time, ms. */
  now?(): number;
}

export class StartReserve {
  readonly #freeCores: () => number;
  readonly #now: () => number;
  #grownMs = 0;
  #ranDryAtMs = Number.NEGATIVE_INFINITY;

  constructor({ freeCores = () => Number.POSITIVE_INFINITY, now = () => performance.now() }: StartReserveOptions = {}) {
    this.#freeCores = freeCores;
    this.#now = now;
  }

  /** The reserve now, ms: 100 to 260. */
  get ms(): number {
    if (this.#now() - this.#ranDryAtMs > KEPT_MS) this.#grownMs = 0;
    const baseMs = this.#freeCores() < FULL_CORES ? FULL_MACHINE_MS : LEAST_MS;
    return Math.min(MOST_MS, Math.max(baseMs, LEAST_MS + this.#grownMs));
  }

  /** An utterance paused, because its audio was late. */
  ranDry(): void {
    this.#grownMs = Math.min(MOST_MS - LEAST_MS, this.#grownMs + GROWTH_MS);
    this.#ranDryAtMs = this.#now();
  }
}
