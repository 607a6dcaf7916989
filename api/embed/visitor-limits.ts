// Limits of what visitors of embed pages do.

import { addressKey } from "../../program/http/address-key.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { EmbedCaller } from "../accounts/caller.ts";
import type { RateLimiter } from "../kernel/limits/token-bucket.ts";
import type { EmbedVisitor } from "./embed-visitor.ts";
import { shortDigest } from "./short-digest.ts";

/** Per minute. Each load of the page starts its session or finds it. A visitor with two tokens has one budget. Visitors
 *  of a shared token can name themselves anew with each request, so their network address and their token are limited
 *  too. */
const LIMITS = {
  session: { text: "start a session", visitor: 20, address: 60, token: 300 },
  say: { text: "send a message", visitor: 10, address: 60, token: 600 },
} as const;

/** Files of an avatar that one token gets in a minute; of a shared token, one address and all its visitors. */
const BUNDLES = { named: 20, address: 60, shared: 300 } as const;

/** Takes one file off the limit of a token. Throws RATE_LIMITED. */
export async function limitBundle(
  limiter: RateLimiter,
  { caller: { sid, endUserId }, ip }: { caller: EmbedCaller; ip: string },
): Promise<void> {
  const take = async (who: string, key: string, perMinute: number): Promise<void> => {
    const { isAllowed, retryAfterSeconds } = await limiter.take(`embed-bundle${key}`, perMinute);
    if (isAllowed) return;
    throw new ServiceError(
      "RATE_LIMITED",
      `${who} gets the file of its avatar at most ${perMinute} times a minute. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  };
  const token = shortDigest(sid);
  if (endUserId !== null) return take("A token", `:${token}`, BUNDLES.named);
  // The token comes last, so that one address cannot exhaust it for all others.
  await take("One network", `-address:${token}:${addressKey(ip)}`, BUNDLES.address);
  await take("A token", `:${token}`, BUNDLES.shared);
}

/** Takes one action off the visitor's limits. Throws RATE_LIMITED. */
export async function limitVisitor(
  limiter: RateLimiter,
  action: keyof typeof LIMITS,
  { caller, visitor, ip }: { caller: EmbedCaller; visitor: EmbedVisitor; ip: string },
): Promise<void> {
  const limits = LIMITS[action];
  const { userId } = caller.account;
  const take = async (who: string, key: string, perMinute: number): Promise<void> => {
    const { isAllowed, retryAfterSeconds } = await limiter.take(key, perMinute);
    if (isAllowed) return;
    throw new ServiceError(
      "RATE_LIMITED",
      `${who} may ${limits.text} at most ${perMinute} times a minute. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  };
  await take("A visitor", `embed-${action}:${shortDigest(`${userId} ${visitor.limitKey}`)}`, limits.visitor);
  if (visitor.isProven) return;
  // The token comes last, so that one address cannot exhaust it for all others.
  await take("One network", `embed-${action}-address:${userId}:${addressKey(ip)}`, limits.address);
  await take("All visitors of one token", `embed-${action}-token:${shortDigest(caller.sid)}`, limits.token);
}
