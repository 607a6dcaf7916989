// Applies a route's rate tier to a caller, and says in headers how much is left.
import { ServiceError } from "../../../shared/errors.ts";
import type { Caller } from "../../accounts/caller.ts";
import { accountBucket, ratePerMinute } from "../../accounts/plans/plans.ts";
import type { BucketState, RateLimiter } from "../limits/token-bucket.ts";
import type { RateTier } from "./route.ts";

/** Requests per minute and client IP on routes that check the secret themselves. Source: the contract. */
const ADDRESS_PER_MINUTE = 120;

/** The bucket after taking one token of `tier`, or null if the tier is not limited or nobody is to be counted. */
export async function takeRate(
  limiter: RateLimiter,
  tier: RateTier,
  caller: Caller | null,
  ip: string,
): Promise<BucketState | null> {
  if (tier === "none") return null;
  if (tier === "address") return limiter.take(`address:${ip}`, ADDRESS_PER_MINUTE);
  if (caller === null || !("account" in caller)) return null;
  const { plan, userId } = caller.account;
  return limiter.take(accountBucket(tier, userId), ratePerMinute(plan, tier));
}

/** The contract's rate headers; `Retry-After` comes with the refusal itself. */
export function rateHeaders(state: BucketState): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(state.limit),
    "X-RateLimit-Remaining": String(state.remaining),
    "X-RateLimit-Reset": String(state.fullAtUnixS),
  };
}

/** The refusal of a request over its limit; names the tier and the wait, as clients expect. */
export function rateRefusal(tier: RateTier, state: BucketState): ServiceError {
  return new ServiceError(
    "RATE_LIMITED",
    `Rate limit of the ${tier} tier reached (${state.limit} requests a minute). Try again in ${state.retryAfterSeconds} s.`,
    { retryAfterSeconds: state.retryAfterSeconds },
  );
}
