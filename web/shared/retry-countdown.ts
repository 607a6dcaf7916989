// A wait before the next try that a visitor can watch.

export interface RetryCountdownOptions {
  /** Whole seconds that are left, first at the start. */
  onSecond(leftS: number): void;
  onEnd(): void;
  /** Default: `setTimeout`. Returns what stops it. */
  wait?: (ms: number, act: () => void) => () => void;
}

/** Longer waits are cut to this: a visitor is not left alone for minutes. */
const LONGEST_S = 60;
const SHORTEST_S = 1;

/** Counts down once for each `start`. */
export class RetryCountdown {
  readonly #options: RetryCountdownOptions;
  #stop: (() => void) | undefined;

  constructor(options: RetryCountdownOptions) {
    this.#options = options;
  }

  /** Begins anew. `seconds`: of the answer's `Retry-After`. */
  start(seconds: number): void {
    this.stop();
    this.#count(Math.min(LONGEST_S, Math.max(SHORTEST_S, Math.ceil(seconds))));
  }

  /** Ends it without a try. Idempotent. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #count(leftS: number): void {
    const { onSecond, onEnd, wait = waitMs } = this.#options;
    if (leftS === 0) {
      onEnd();
      return;
    }
    onSecond(leftS);
    this.#stop = wait(1000, () => this.#count(leftS - 1));
  }
}

function waitMs(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
