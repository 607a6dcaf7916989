// A token bucket in memory: how much of something may happen, at once and on average.

export interface BucketRate {
  /** Tokens that come back each second. */
  perSecond: number;
  /** Tokens of a full bucket. */
  burst: number;
}

/** Begins full. */
export class TokenBucket {
  readonly #rate: BucketRate;
  readonly #now: () => number;
  /** Below zero after something that cost more than was left. */
  #level: number;
  #atMs: number;

  /** `now`: monotonic time in ms. Default: the process's. */
  constructor(rate: BucketRate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#level = rate.burst;
    this.#atMs = now();
  }

  get isFull(): boolean {
    return this.#refilled() >= this.#rate.burst;
  }

  /** Time until one token is there, ms; 0 if it is now. */
  get waitMs(): number {
    return Math.max(0, ((1 - this.#refilled()) / this.#rate.perSecond) * 1000);
  }

  /** Takes tokens, also those that are not there yet: the next one waits for them. */
  take(tokens: number): void {
    this.#level = this.#refilled() - tokens;
  }

  /** Gives back tokens that were taken and not used. */
  giveBack(tokens: number): void {
    this.#level = Math.min(this.#rate.burst, this.#refilled() + tokens);
  }

  #refilled(): number {
    const nowMs = this.#now();
    const { perSecond, burst } = this.#rate;
    this.#level = Math.min(burst, this.#level + ((nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
    return this.#level;
  }
}
