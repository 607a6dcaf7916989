// Counts failed authentications by client address and limits them. Valid secrets are never refused here, because
// several clients may share one address.

import { addressKey } from "../../program/http/address-key.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { RateLimiter } from "../kernel/limits/token-bucket.ts";

/** Failed authentications per minute and client address. Source: the contract. */
const FAILURES_PER_MINUTE = 30;
/** Addresses over the limit that are remembered at a time. */
const MAX_REMEMBERED = 10_000;

export interface FailedAuthentications {
  /** Counts a failure. Throws RATE_LIMITED instead of returning if the address is over its limit. */
  count(ip: string): Promise<void>;
}

/** `now`: milliseconds since the epoch. */
export function createFailedAuthentications(limiter: RateLimiter, now: () => number): FailedAuthentications {
  /** Addresses over the limit, with the time until which further failures are refused without asking the database. */
  const refusedUntilMs = new Map<string, number>();

  return {
    async count(ip) {
      const key = addressKey(ip);
      const knownUntilMs = refusedUntilMs.get(key) ?? 0;
      if (knownUntilMs > now()) throw tooManyFailures(Math.ceil((knownUntilMs - now()) / 1000));
      refusedUntilMs.delete(key);
      const { isAllowed, retryAfterSeconds } = await limiter.take(`failed-auth:${key}`, FAILURES_PER_MINUTE);
      if (isAllowed) return;
      if (refusedUntilMs.size >= MAX_REMEMBERED) refusedUntilMs.clear();
      refusedUntilMs.set(key, now() + retryAfterSeconds * 1000);
      throw tooManyFailures(retryAfterSeconds);
    },
  };
}

function tooManyFailures(retryAfterSeconds: number): ServiceError {
  return new ServiceError("RATE_LIMITED", "Too many failed authentications from this address. Try again later.", {
    retryAfterSeconds,
  });
}
