// Launches that find no free slot: they take the slot of a vacant session, or wait a moment for one.
import type { Notifications } from "../../kernel/database/notifications.ts";
import type { WaitingPolicy } from "../life/session-policies.ts";
import type { VacantScope } from "../record/session-queries.ts";
import { SLOT_CHANNEL } from "./slot-channel.ts";
import { SlotsTakenError } from "./slots-taken.ts";

export interface SlotQueueOptions {
  notifications: Pick<Notifications, "waitFor">;
  policy: WaitingPolicy;
  /** Ends a vacant session. Returns false if there is none, or if it is no longer vacant. */
  endVacant(scope: VacantScope): Promise<boolean>;
}

/** A launch in the queue. */
export interface QueuedLaunch {
  userId: string;
  /** How long it has waited so far, ms. */
  waitedMs: number;
}

export interface SlotQueue {
  /** Returns what `attempt` returns. While it throws SlotsTakenError, it is repeated with the slot of a vacant session,
   *  or when a slot may be free. Throws the last refusal after the policy's time, or at once if too many launches of
   *  the account wait. */
  whenFree<T>(launch: QueuedLaunch, attempt: () => Promise<T>): Promise<T>;
}

/** Vacant sessions that one attempt may end: another launch may take the slot first. */
const MOST_ENDED = 4;

export function createSlotQueue({ notifications, policy, endVacant }: SlotQueueOptions): SlotQueue {
  /** Number of waiting launches by account. */
  const waiting = new Map<string, number>();

  return {
    async whenFree<T>(launch: QueuedLaunch, attempt: () => Promise<T>): Promise<T> {
      let refusal: SlotsTakenError | undefined;

      async function tryNow(): Promise<{ value: T } | undefined> {
        for (let ended = 0; ; ended++) {
          try {
            return { value: await attempt() };
          } catch (error) {
            if (!(error instanceof SlotsTakenError)) throw error;
            refusal = error;
            if (ended === MOST_ENDED || !(await endVacant(error.scope))) return undefined;
          }
        }
      }

      const admitted = await tryNow();
      if (admitted) return admitted.value;
      const { userId } = launch;
      const count = waiting.get(userId) ?? 0;
      if (!refusal?.isBrief || count >= policy.perAccount) throw refusal;
      waiting.set(userId, count + 1);
      const sinceMs = performance.now();
      try {
        const timeoutMs = Math.max(0, policy.timeoutMs - launch.waitedMs);
        const later = await notifications.waitFor({ channel: SLOT_CHANNEL, payload: "", timeoutMs }, tryNow);
        if (later) return later.value;
        throw refusal;
      } finally {
        launch.waitedMs += performance.now() - sinceMs;
        const left = (waiting.get(userId) ?? 1) - 1;
        if (left > 0) waiting.set(userId, left);
        else waiting.delete(userId);
      }
    },
  };
}
