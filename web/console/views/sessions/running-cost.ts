// Seconds and credits of a running session between two answers of the service.

export interface Metered {
  /** Served, as the service last told. */
  seconds: number;
  /** Whole credits, as the service last told. */
  credits: number;
  /** Credits a minute. */
  rate: number;
  /** Whether it is served now. */
  isCounting: boolean;
}

/** Answers tell what a session had served at its last heartbeat, some seconds ago: by less than this they do not set a
 *  count back. */
const LAG_S = 5;

/** Counts on from each answer. */
export class RunningCost {
  #metered: Metered;
  #sinceMs: number;

  /** `nowMs`: when the answer came, ms since the epoch. */
  constructor(metered: Metered, nowMs: number) {
    this.#metered = metered;
    this.#sinceMs = nowMs;
  }

  /** Takes a later answer. */
  update(metered: Metered, nowMs: number): void {
    const behind = this.secondsAt(nowMs) - metered.seconds;
    const isLag = metered.isCounting && this.#metered.isCounting && behind > 0 && behind < LAG_S;
    this.#metered = metered;
    this.#sinceMs = nowMs - (isLag ? behind * 1000 : 0);
  }

  secondsAt(nowMs: number): number {
    return this.#metered.seconds + this.#countedAt(nowMs);
  }

  creditsAt(nowMs: number): number {
    return this.#metered.credits + (this.#countedAt(nowMs) * this.#metered.rate) / 60;
  }

  #countedAt(nowMs: number): number {
    return this.#metered.isCounting ? Math.max(0, nowMs - this.#sinceMs) / 1000 : 0;
  }
}
