// How long the person's camera was watched in a session: the camera line is billed by it.

export interface WatchedTimeOptions {
  /** Counted before, by other processes of the session, s. */
  earlierSeconds: number;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

export class WatchedTime {
  readonly #now: () => number;
  #countedMs: number;
  #sinceMs: number | undefined;

  constructor({ earlierSeconds, now }: WatchedTimeOptions) {
    this.#now = now ?? (() => performance.now());
    this.#countedMs = earlierSeconds * 1000;
  }

  /** To a tenth of a second. */
  get seconds(): number {
    const runningMs = this.#sinceMs === undefined ? 0 : this.#now() - this.#sinceMs;
    return Math.round((this.#countedMs + runningMs) / 100) / 10;
  }

  /** Counts from now on, or no more. */
  set isWatching(isWatching: boolean) {
    if (isWatching === (this.#sinceMs !== undefined)) return;
    const nowMs = this.#now();
    if (this.#sinceMs !== undefined) this.#countedMs += nowMs - this.#sinceMs;
    this.#sinceMs = isWatching ? nowMs : undefined;
  }
}
