// Waits for a worker that is not in its control room: it may still be on its way there, or come back after a crash.
import { setTimeout as sleep } from "node:timers/promises";
import { NotReachedError } from "../kernel/livekit/livekit-gateway.ts";

const PAUSE_MS = 100;

/** Repeats a call that no one has received, for at most `limitMs`. Rejects with its last error. */
export async function whenReached<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotReachedError) || performance.now() > untilMs) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
