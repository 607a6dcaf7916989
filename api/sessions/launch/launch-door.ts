// Limits launch requests before their body is read. The limits are far above normal use. The contract exempts these
// routes from the rate tiers, so a limit that is reached is 503 and not 429. Requests of live sessions do not pass here
// (docs/decisions, "Limit launches before reading the body").
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "../../../shared/errors.ts";
import type { LaunchTokenCaller, SecretCaller } from "../../accounts/caller.ts";
import type { RateLimiter } from "../../kernel/limits/token-bucket.ts";

export interface DoorPolicy {
  /** Requests per minute of one account, including its launch tokens. */
  accountPerMinute: number;
  /** Requests per minute with one launch token, which starts one session. */
  tokenPerMinute: number;
  /** Bodies of one account that are read at the same time. */
  accountBodies: number;
  /** Bodies with one launch token that are read at the same time. */
  tokenBodies: number;
  /** How long a request waits for its turn before it is refused, in ms. */
  waitMs: number;
}

/** Far above any real use: the largest plan runs 200 sessions. A body is at most 14 MiB, so one account fills at most
 *  224 MiB. */
export const DOOR_POLICY: DoorPolicy = Object.freeze({
  accountPerMinute: 1_200,
  tokenPerMinute: 30,
  accountBodies: 16,
  tokenBodies: 2,
  waitMs: 10_000,
});

/** `Retry-After` of a request whose turn did not come in time. */
const TURN_RETRY_AFTER_SECONDS = 5;

type LaunchCaller = SecretCaller | LaunchTokenCaller;

/** Admits a request. Resolves to a function that the caller calls once the body has been read. Throws
 *  SERVICE_UNAVAILABLE. */
export type LaunchDoor = (caller: LaunchCaller) => Promise<() => void>;

/** The door of one process. Rates are counted across processes, bodies in each. */
export function createLaunchDoor(limiter: RateLimiter, policy: DoorPolicy = DOOR_POLICY): LaunchDoor {
  const turns = createTurns();

  async function assertRate(key: string, perMinute: number): Promise<void> {
    const state = await limiter.take(key, perMinute);
    if (state.isAllowed) return;
    throw new ServiceError(
      "SERVICE_UNAVAILABLE",
      `More than ${perMinute} launch requests in a minute. Try again in ${state.retryAfterSeconds} s.`,
      { retryAfterSeconds: state.retryAfterSeconds },
    );
  }

  return async (caller) => {
    const account = `launch:${caller.account.userId}`;
    // The token's own limits are checked first, so that one token's holder cannot exhaust the account's limits.
    if (caller.kind === "secret") {
      await assertRate(account, policy.accountPerMinute);
      return turns.take(account, policy.accountBodies, policy.waitMs);
    }
    const token = `launch-token:${caller.tokenId}`;
    await assertRate(token, policy.tokenPerMinute);
    await assertRate(account, policy.accountPerMinute);
    const leaveToken = await turns.take(token, policy.tokenBodies, policy.waitMs);
    try {
      const leaveAccount = await turns.take(account, policy.accountBodies, policy.waitMs);
      return () => {
        leaveAccount();
        leaveToken();
      };
    } catch (error) {
      leaveToken();
      throw error;
    }
  };
}

/** Limits concurrent work per key. Further work waits in order of arrival. */
function createTurns(): { take(key: string, most: number, waitMs: number): Promise<() => void> } {
  const lanes = new Map<string, { running: number; waiting: (() => void)[] }>();

  function leave(key: string): void {
    const lane = lanes.get(key);
    if (!lane) return;
    const next = lane.waiting.shift();
    // The slot passes to the next waiter, so `running` does not change.
    if (next) next();
    else if (--lane.running === 0) lanes.delete(key);
  }

  return {
    async take(key, most, waitMs) {
      const lane = lanes.get(key) ?? { running: 0, waiting: [] };
      lanes.set(key, lane);
      let hasLeft = false;
      const release = (): void => {
        if (!hasLeft) leave(key);
        hasLeft = true;
      };
      if (lane.running < most) {
        lane.running += 1;
        return release;
      }
      let enter: () => void = () => undefined;
      const turn = new Promise<"turn">((resolve) => {
        enter = () => resolve("turn");
      });
      lane.waiting.push(enter);
      const timer = new AbortController();
      const timeout = delay(waitMs, undefined, { signal: timer.signal }).catch(() => undefined);
      const outcome = await Promise.race([turn, timeout]);
      timer.abort();
      if (outcome === "turn") return release;
      const position = lane.waiting.indexOf(enter);
      // It got its slot at the moment of the timeout.
      if (position < 0) return release;
      lane.waiting.splice(position, 1);
      throw new ServiceError(
        "SERVICE_UNAVAILABLE",
        `More than ${most} launch requests are being received at the same time. Try again.`,
        { retryAfterSeconds: TURN_RETRY_AFTER_SECONDS },
      );
    },
  };
}
