import { ServiceError } from "../../shared/errors.ts";

export interface TurnsOptions {
  /** Turns at the same time. */
  most: number;
  /** Of these, turns of one key. */
  mostPerKey: number;
}

const RETRY_AFTER_SECONDS = 1;

/** Bounds work that goes on at the same time, in total and for each key. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Runs `work`. Throws SERVICE_UNAVAILABLE at once if a bound is reached. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { most, mostPerKey } = this.#options;
    const running = this.#running.get(key) ?? 0;
    if (running >= mostPerKey || this.#total >= most) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "Too many launches arrive at the same time. Try again.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#running.set(key, running + 1);
    this.#total += 1;
    try {
      return await work();
    } finally {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
      this.#total -= 1;
    }
  }
}
