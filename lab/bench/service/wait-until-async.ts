// Waits for a condition that has to be looked up, with a deadline.
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 50;

/** Polls until `isReached` resolves to true. Throws Error naming `what` after `timeoutMs`. Rejects if `isReached`
 *  does. */
export async function waitUntilAsync(
  isReached: () => Promise<boolean>,
  what: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isReached())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await delay(POLL_MS);
  }
}
