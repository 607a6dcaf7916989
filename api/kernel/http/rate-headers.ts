// The rate limit per address, and the headers that report the remaining requests of any limit.

import { addressKey } from "../../../program/http/address-key.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { BucketState, RateLimiter } from "../limits/token-bucket.ts";
import type { RateTier } from "./route.ts";

/** Requests per minute and client IP on routes that check the secret themselves. Source: the contract. */
const ADDRESS_PER_MINUTE = 120;

/** Takes one token from a client address's bucket. */
export function takeAddressRate(limiter: RateLimiter, ip: string): Promise<BucketState> {
  return limiter.take(`address:${addressKey(ip)}`, ADDRESS_PER_MINUTE);
}

/** The contract's rate limit headers. `Retry-After` is added by the error. */
export function rateHeaders(state: BucketState): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(state.limit),
    "X-RateLimit-Remaining": String(state.remaining),
    "X-RateLimit-Reset": String(state.fullAtUnixS),
  };
}

/** The error for a request over its limit. Its message names the tier and the wait, as clients expect. */
export function rateRefusal(tier: RateTier, state: BucketState): ServiceError {
  return new ServiceError(
    "RATE_LIMITED",
    `Rate limit of the ${tier} tier reached (${state.limit} requests a minute). Try again in ${state.retryAfterSeconds} s.`,
    { retryAfterSeconds: state.retryAfterSeconds },
  );
}
