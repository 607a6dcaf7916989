// Repeats a call that may fail for a while: a count, growing delays, jitter.
import { setTimeout as sleep } from "node:timers/promises";

export interface RetryOptions {
  /** Calls in all. */
  attempts: number;
  /** Pause after the first failure, ms; doubles each time up to `maxDelayMs`, and varies by a quarter. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** False ends the attempts early: the error will not go away. */
  isWorthRepeating(error: unknown): boolean;
}

/** The first success. Throws the last error. */
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
