// How much of an utterance must have arrived before it starts. More means fewer underruns and more latency: a real-time
// sender's audio is heard later by what is kept back.

/** At first, ms. Measured beside other busy processes, 60 to 100 ms stay queued with it, and 17 to 49 were left at the
 *  worst moments. So less would be heard, and more would take longer than 200 ms. */
const LEAST_MS = 100;
/** After each underrun but the first, ms, up to the most. A single one is no sign of a machine that is too slow. */
const GROWTH_MS = 40;
const MOST_MS = 260;
/** Time without an underrun after which earlier ones are forgotten, ms. */
const KEPT_MS = 30_000;

export class StartReserve {
  readonly #now: () => number;
  #underruns = 0;
  #ranDryAtMs = Number.NEGATIVE_INFINITY;

  /** `now`: monotonic time, ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The reserve now, ms: 100 to 260. */
  get ms(): number {
    this.#forget();
    return Math.min(MOST_MS, LEAST_MS + GROWTH_MS * Math.max(0, this.#underruns - 1));
  }

  /** An utterance paused, because its audio was late. */
  ranDry(): void {
    this.#forget();
    this.#underruns += 1;
    this.#ranDryAtMs = this.#now();
  }

  #forget(): void {
    if (this.#now() - this.#ranDryAtMs > KEPT_MS) this.#underruns = 0;
  }
}
