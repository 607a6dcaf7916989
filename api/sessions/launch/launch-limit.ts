// Limits launch requests before their body is read. The limits are far above normal use. The contract exempts these
// routes from the rate tiers, so a limit that is reached is 503 and not 429. Requests of live sessions do not pass here
// (docs/decisions, "Limit launches before reading the body").

import { OwnerSlots } from "../../../program/owner-slots.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { LaunchTokenCaller, SecretCaller } from "../../accounts/caller.ts";
import type { RateLimiter } from "../../kernel/limits/token-bucket.ts";

export interface LaunchLimitPolicy {
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
export const LAUNCH_LIMIT_POLICY: LaunchLimitPolicy = Object.freeze({
  accountPerMinute: 1_200,
  tokenPerMinute: 30,
  accountBodies: 16,
  tokenBodies: 2,
  waitMs: 10_000,
});

/** `Retry-After` of a request that did not get its turn in time. */
const TURN_RETRY_AFTER_SECONDS = 5;

type LaunchCaller = SecretCaller | LaunchTokenCaller;

/** Admits a request. Resolves to a function that the caller calls once the body has been read. Throws
 *  SERVICE_UNAVAILABLE. */
export type LaunchLimit = (caller: LaunchCaller) => Promise<() => void>;

/** The launch limit of one process. Rates are counted across processes, bodies in each. */
export function createLaunchLimit(limiter: RateLimiter, policy: LaunchLimitPolicy = LAUNCH_LIMIT_POLICY): LaunchLimit {
  const accountBodies = new OwnerSlots(policy.accountBodies);
  const tokenBodies = new OwnerSlots(policy.tokenBodies);

  async function assertRate(key: string, perMinute: number): Promise<void> {
    const state = await limiter.take(key, perMinute);
    if (state.isAllowed) return;
    throw new ServiceError(
      "SERVICE_UNAVAILABLE",
      `More than ${perMinute} launch requests in a minute. Try again in ${state.retryAfterSeconds} s.`,
      { retryAfterSeconds: state.retryAfterSeconds },
    );
  }

  async function takeTurn(bodies: OwnerSlots, owner: string, most: number): Promise<() => void> {
    const leave = await bodies.enter(owner, policy.waitMs);
    if (leave) return leave;
    throw new ServiceError(
      "SERVICE_UNAVAILABLE",
      `More than ${most} launch requests are being received at the same time. Try again.`,
      { retryAfterSeconds: TURN_RETRY_AFTER_SECONDS },
    );
  }

  return async (caller) => {
    const account = `launch:${caller.account.userId}`;
    // The token's own limits are checked first, so that one token's holder cannot exhaust the account's limits.
    if (caller.kind === "secret") {
      await assertRate(account, policy.accountPerMinute);
      return takeTurn(accountBodies, account, policy.accountBodies);
    }
    const token = `launch-token:${caller.tokenId}`;
    await assertRate(token, policy.tokenPerMinute);
    await assertRate(account, policy.accountPerMinute);
    const leaveToken = await takeTurn(tokenBodies, token, policy.tokenBodies);
    try {
      const leaveAccount = await takeTurn(accountBodies, account, policy.accountBodies);
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
