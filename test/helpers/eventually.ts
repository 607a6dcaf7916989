// Waits for something to become true, with a deadline.
import { setTimeout as sleep } from "node:timers/promises";

/** Resolves as soon as `condition` holds (asked every 10 ms). Rejects after `timeoutMs` (default 10,000), saying what was awaited. */
export async function eventually(condition: () => boolean, what: string, timeoutMs = 10_000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(10);
  }
}
