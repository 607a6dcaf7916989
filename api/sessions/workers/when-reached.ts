// Waits for a worker that is not in its control room: it may still be on its way there, or come back after a crash.
import { setTimeout as delay } from "node:timers/promises";
import { isServiceError } from "../../../shared/errors.ts";
import { NotReachedError } from "../../kernel/livekit/livekit-gateway.ts";

const PAUSE_MS = 100;

/** Repeats a call that no one has received; it begins anew for at most `limitMs`. Rejects with its last error.
 *  `isHarmlessTwice`: a call that got no answer is repeated too. After a crash LiveKit lists the dead participant until
 *  the next one takes its place, and a call to it times out. */
export async function whenReached<T>(
  limitMs: number,
  work: () => Promise<T>,
  { isHarmlessTwice = false }: { isHarmlessTwice?: boolean } = {},
): Promise<T> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLost = isHarmlessTwice && isServiceError(error) && error.code === "UPSTREAM_ERROR";
      if (!(isLost || error instanceof NotReachedError) || performance.now() > untilMs) throw error;
    }
    await delay(PAUSE_MS);
  }
}
