// Waiting for the parts of the service: ports, answers, and several starts at a time.
import { setTimeout as delay } from "node:timers/promises";
import { isPortFree } from "./free-port.ts";
import { StartError } from "./start-error.ts";

const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 50;

/** True as soon as the port is free, false if it is not within `timeoutMs`. */
export async function isPortFreeWithin(timeoutMs: number, port: number, host: string): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isPortFree(port, host))) {
    if (Date.now() >= deadline) return false;
    await delay(READY_POLL_MS);
  }
  return true;
}

/** Polls until the URL answers with success or the signal aborts. Throws StartError naming the child after a minute. */
export async function waitForAnswer(url: string, name: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !signal.aborted) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await delay(READY_POLL_MS);
  }
  throw new StartError(
    `The ${name} did not become ready within ${READY_TIMEOUT_MS / 1000} s (${url}).`,
    `Its log says more: logs/${name}.log in the data folder.`,
  );
}

/** As Promise.all, but settles only when all have: what is still starting could not be stopped otherwise. */
export async function allOrFirstError<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
