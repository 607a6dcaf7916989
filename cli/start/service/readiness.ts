// Waits for parts of the service: free ports, readiness, concurrent starts.
import { setTimeout as delay } from "node:timers/promises";
import { isPortFree } from "../processes/free-port.ts";
import { StartError } from "../start-error.ts";

const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 50;
const FIRST_UNPRIVILEGED_PORT = 1024;

/** Resolves when nothing listens on the port. Throws StartError if it is still taken after `timeoutMs`, or if the host
 *  is not an address of this machine. */
export async function requirePort(port: number, host: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isFree(port, host))) {
    if (Date.now() >= deadline) {
      const isPrivileged = port < FIRST_UNPRIVILEGED_PORT && process.getuid?.() !== 0;
      throw new StartError(
        `Port ${port} on ${host} is used by another program${isPrivileged ? ", or only root may use it" : ""}.`,
        `Stop that program, or choose another port: PORT=${isPrivileged ? 8080 : port + 1} npm start`,
      );
    }
    await delay(READY_POLL_MS);
  }
}

async function isFree(port: number, host: string): Promise<boolean> {
  try {
    return await isPortFree(port, host);
  } catch (error) {
    throw new StartError(
      `This machine cannot listen on the address in HOST, ${host} (${(error as NodeJS.ErrnoException).code}).`,
      "Set HOST to 127.0.0.1 (this machine only), to 0.0.0.0 (every network), or to one of this machine's addresses.",
      error,
    );
  }
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
    `See its log: logs/${name}.log in the data folder.`,
  );
}

/** Like Promise.all, but waits for all to settle, so that a part that is still starting can be stopped. */
export async function allOrFirstError<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
