// Waits for something to become true, with a deadline: tests never sleep for a fixed time.
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 20;

/** Polls until `probe` returns a truthy value and returns it. Throws an Error that names `what` after `timeoutMs`. */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  what: string,
  timeoutMs = 30_000,
): Promise<Exclude<T, null | undefined | false | 0 | "">> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value as Exclude<T, null | undefined | false | 0 | "">;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}
