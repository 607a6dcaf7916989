// Waits for a condition with a deadline.
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 10;

/** Polls until `isReached`. Throws Error naming `what` after `timeoutMs`. */
export async function waitUntil(isReached: () => boolean, what: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!isReached()) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await delay(POLL_MS);
  }
}
