// Retries a call that may fail temporarily, with a bounded number of attempts, exponential backoff and jitter.
import { setTimeout as sleep } from "node:timers/promises";

export interface RetryOptions {
  /** Total number of calls. */
  attempts: number;
  /** Pause after the first failure, ms; doubles each time up to `maxDelayMs`, with a jitter of a quarter. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** Returns false for a permanent error, which is not retried. */
  isWorthRepeating(error: unknown): boolean;
}

/** Returns the first successful result. Throws the last error. */
export async function retry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= options.attempts || !options.isWorthRepeating(error)) throw error;
      const delayMs = Math.min(options.maxDelayMs, options.firstDelayMs * 2 ** (attempt - 1));
      await sleep(delayMs * (0.75 + Math.random() / 2));
    }
  }
}
