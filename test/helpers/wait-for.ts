// Waits with a deadline, which names what did not come: tests never sleep for a fixed time.
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 20;
/** Longer than any wait on a busy machine. */
const WITHIN_MS = 60_000;

/** Polls until `probe` returns a truthy value and returns it. Throws an Error that names `what` after `timeoutMs`. */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  what: string,
  timeoutMs = WITHIN_MS,
): Promise<Exclude<T, null | undefined | false | 0 | "">> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await within(Promise.resolve(probe()), what);
    if (value) return value as Exclude<T, null | undefined | false | 0 | "">;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}

/** What `promise` resolves with. Throws an Error that names `what` after `timeoutMs`. */
export async function within<T>(promise: Promise<T>, what: string, timeoutMs = WITHIN_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${timeoutMs} ms: ${what}`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
