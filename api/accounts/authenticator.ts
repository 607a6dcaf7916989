// Checks credentials: the account secret in `api-secret`, and tokens as Bearer, as each route declares.
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import type { Database } from "../kernel/database/database.ts";
import type { AuthKind, Callers } from "../kernel/http/caller.ts";
import type { Authenticated, Authenticator, Credentials } from "../kernel/http/create-app.ts";
import type { RateTier } from "../kernel/http/route.ts";
import type { BucketState, RateLimiter } from "../kernel/limits/token-bucket.ts";
import type { Tokens } from "../kernel/tokens/tokens.ts";
import { findBySecretId, type SecretOwner } from "./account-store.ts";
import type { LaunchTokenCaller, RuntimeCaller, SecretCaller } from "./caller.ts";
import type { BillingLinks } from "./credits/billing-links.ts";
import { hasApiAccess } from "./plans/free-plan.ts";
import { ACCOUNT_TIERS, type AccountTier, accountBucket, ratePerMinute } from "./plans/plans.ts";
import type { SecretGate } from "./secrets/secret-gate.ts";

/** Failed authentications per minute and client address. Source: the contract. */
const FAILURES_PER_MINUTE = 30;
/** Longer values are no secrets of ours; they are refused unread. */
const SECRET_MAX_CHARACTERS = 512;

export interface AuthenticatorOptions {
  database: Database;
  gate: SecretGate;
  tokens: Tokens;
  limiter: RateLimiter;
  links: BillingLinks;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** How a revoked secret is refused: token endpoints have a code of their own for it. */
type Revocation = "UNAUTHORIZED" | "RUNTIME_SUSPENDED";

/** The authenticator of all routes. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { database, gate, tokens, limiter, links, now } = options;

  async function ownerOf(found: SecretOwner | null, revocation: Revocation): Promise<SecretOwner> {
    if (!found) throw new ServiceError("UNAUTHORIZED", "The API secret is not valid");
    if (found.isRevoked) throw new ServiceError(revocation, "The API secret was revoked");
    if (revocation === "RUNTIME_SUSPENDED" && found.account.isRuntimeSuspended) {
      throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
    }
    if (!(await hasApiAccess(database, found.account, now()))) {
      throw new ServiceError("PLAN_REQUIRED", "API access needs a paid plan (Creator or higher)", {
        details: { upgrade_url: links.upgradeUrl },
      });
    }
    return found;
  }

  /** Counts callers that the gate has not counted: those with a token, and Free accounts that still have access. */
  async function takeRate(caller: Callers[AuthKind], tier: RateTier): Promise<BucketState | null> {
    const accountTier = accountTierOf(tier);
    if (accountTier === null || caller === null || !("account" in caller)) return null;
    const { plan, userId } = caller.account;
    return limiter.take(accountBucket(accountTier, userId), ratePerMinute(plan, accountTier));
  }

  async function bySecret(
    secret: string | null,
    revocation: Revocation,
    tier: RateTier,
  ): Promise<{ caller: SecretCaller; rate: BucketState | null }> {
    if (secret === null) throw new ServiceError("MISSING_AUTH", `The ${HEADER_API_SECRET} header is missing`);
    const found = secret.length > SECRET_MAX_CHARACTERS ? null : await gate.open(secret, accountTierOf(tier));
    const { account, secretId, organizationId } = await ownerOf(found?.owner ?? null, revocation);
    return { caller: { kind: "secret", account, secretId, organizationId }, rate: found?.rate ?? null };
  }

  async function byLaunchToken(token: string): Promise<LaunchTokenCaller> {
    const claims = await tokens.launch.verify(token);
    const { account, secretId } = await ownerOf(await findBySecretId(database, claims.key), "RUNTIME_SUSPENDED");
    const { agent: agentCode, room: roomName, lk: livekitUrl, jti: tokenId, model } = claims;
    return { kind: "launch-token", account, secretId, agentCode, roomName, livekitUrl, model, tokenId };
  }

  async function byRuntimeToken(token: string): Promise<RuntimeCaller> {
    const claims = await tokens.runtime.verify(token);
    const { account, secretId } = await ownerOf(await findBySecretId(database, claims.key), "RUNTIME_SUSPENDED");
    return { kind: "runtime", account, secretId, transactionId: claims.tx ?? null };
  }

  /** Ways by name. Each gets the request's credentials and its tier. */
  const ways: { [Kind in AuthKind]: (credentials: Credentials, tier: RateTier) => Promise<Authenticated<Kind>> } = {
    none: async () => ({ caller: null, rate: null }),
    secret: (credentials, tier) => bySecret(secretOf(credentials), "UNAUTHORIZED", tier),
    "token-secret": (credentials, tier) => bySecret(secretOf(credentials), "RUNTIME_SUSPENDED", tier),
    async launch(credentials, tier) {
      const secret = secretOf(credentials) ?? (credentials.isForm ? bearerOf(credentials) : null);
      if (secret === null || !looksLikeJwt(secret)) return bySecret(secret, "RUNTIME_SUSPENDED", tier);
      return { caller: await byLaunchToken(secret), rate: null };
    },
    async "secret-or-model-download"(credentials, tier) {
      const token = bearerOf(credentials);
      if (secretOf(credentials) !== null || token === null)
        return bySecret(secretOf(credentials), "UNAUTHORIZED", tier);
      const claims = await tokens.modelDownload.verify(token);
      const { account, secretId } = await ownerOf(await findBySecretId(database, claims.key), "UNAUTHORIZED");
      return { caller: { kind: "model-download", account, secretId, agentCode: claims.agent }, rate: null };
    },
    async embed(credentials) {
      const claims = await tokens.embed.verify(requireBearer(credentials));
      const { account, secretId } = await ownerOf(await findBySecretId(database, claims.key), "RUNTIME_SUSPENDED");
      const { agent: agentCode, sid, endUserId, model, demo: isDemo = false } = claims;
      return { caller: { kind: "embed", account, secretId, agentCode, sid, endUserId, model, isDemo }, rate: null };
    },
    async runtime(credentials) {
      return { caller: await byRuntimeToken(requireBearer(credentials)), rate: null };
    },
    async "runtime-session"(credentials) {
      const token = requireBearer(credentials);
      // A worker's token is by far the most frequent; anything else has to be a self-hosted runtime's.
      const claims = await tokens.runtimeSession.verify(token).catch(() => null);
      if (claims === null) return { caller: await byRuntimeToken(token), rate: null };
      const caller = { kind: "runtime-session", avatarSessionId: claims.sub, dispatchNumber: claims.dispatch } as const;
      return { caller, rate: null };
    },
  };

  return {
    async authenticate(kind, credentials, tier) {
      try {
        const { caller, rate } = await ways[kind](credentials, tier);
        return { caller, rate: rate ?? (await takeRate(caller, tier)) };
      } catch (error) {
        if (!(error instanceof ServiceError) || (error.code !== "UNAUTHORIZED" && error.code !== "MISSING_AUTH"))
          throw error;
        // Only failures are counted and refused: behind one address there may be others with a good secret, and a random
        // secret cannot be found at any rate worth limiting. What this saves is look-ups.
        const state = await limiter.take(`failed-auth:${credentials.ip}`, FAILURES_PER_MINUTE);
        if (state.isAllowed) throw error;
        throw new ServiceError("RATE_LIMITED", "Too many failed authentications from this address. Try again later.", {
          retryAfterSeconds: state.retryAfterSeconds,
        });
      }
    },
  };
}

/** The tier, if it is one that accounts have a bucket for. */
function accountTierOf(tier: RateTier): AccountTier | null {
  return ACCOUNT_TIERS.find((known) => known === tier) ?? null;
}

function secretOf({ headers }: Credentials): string | null {
  const value = headers[HEADER_API_SECRET];
  return typeof value === "string" && value !== "" ? value : null;
}

function bearerOf({ headers }: Credentials): string | null {
  const value = headers.authorization;
  const match = typeof value === "string" ? /^Bearer +(\S+)$/i.exec(value) : null;
  return match ? match[1] : null;
}

function requireBearer(credentials: Credentials): string {
  const token = bearerOf(credentials);
  if (token === null) throw new ServiceError("MISSING_AUTH", "The Authorization header with a Bearer token is missing");
  return token;
}

function looksLikeJwt(value: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(value);
}
