// Passes on the newest of many values, at most one in each frame.
import { HOP_MS } from "../shared/units.ts";

/** From the first value to `close()`. */
export class LatestEachFrame<Value> {
  readonly #pass: (value: Value) => void;
  readonly #now: () => number;
  #passedAtMs = Number.NEGATIVE_INFINITY;
  #waiting: { value: Value } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `now`: monotonic, ms. Default: the machine's clock. */
  constructor(pass: (value: Value) => void, now: () => number = () => performance.now()) {
    this.#pass = pass;
    this.#now = now;
  }

  /** Passes the value on at once, or after the rest of the frame of the one before unless another one follows. */
  push(value: Value): void {
    const isFirst = this.#waiting === undefined;
    this.#waiting = { value };
    const waitMs = this.#passedAtMs + HOP_MS - this.#now();
    if (waitMs <= 0) this.#passOn();
    else if (isFirst) this.#timer = setTimeout(() => this.#passOn(), waitMs);
  }

  /** What waits is not passed on. Idempotent. */
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
  }

  #passOn(): void {
    clearTimeout(this.#timer);
    if (!this.#waiting) return;
    const { value } = this.#waiting;
    this.#waiting = undefined;
    this.#passedAtMs = this.#now();
    this.#pass(value);
  }
}
