// Checks credentials: the account secret in `api-secret`, and tokens as Bearer, as each route declares.

import { isAddressedHere } from "../../program/http/local-request.ts";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_API_SECRET, HEADER_ORGANIZATION, HEADER_UNATTENDED } from "../../shared/wire-names.ts";
import type { Database } from "../kernel/database/database.ts";
import type { AuthKind, Callers } from "../kernel/http/caller.ts";
import type { Authenticated, Authenticator, Credentials } from "../kernel/http/create-app.ts";
import { isOpenToSuspended, type RateTier, type RouteAccess } from "../kernel/http/route.ts";
import type { BucketState, RateLimiter } from "../kernel/limits/token-bucket.ts";
import type { LaunchClaims, Tokens } from "../kernel/tokens/tokens.ts";
import type { Account } from "./account.ts";
import { findAccount } from "./account-store.ts";
import type {
  ConsoleCaller,
  LaunchScope,
  LaunchTokenCaller,
  ModelDownloadCaller,
  PageCaller,
  RuntimeCaller,
  SecretCaller,
} from "./caller.ts";
import type { BillingLinks } from "./credits/billing-links.ts";
import { assertNotSuspended, balanceOf, standingOf } from "./credits/ledger.ts";
import { createFailedAuthentications } from "./failed-authentications.ts";
import { notShared } from "./not-shared.ts";
import { hasApiAccess } from "./plans/free-plan.ts";
import { ACCOUNT_TIERS, type AccountTier, accountBucket, ratePerMinute } from "./plans/plans.ts";
import type { SecretGate } from "./secrets/secret-gate.ts";
import { findBySecretId, type SecretOwner } from "./secrets/secret-store.ts";
import { createConsoleCookies } from "./sign-in/console-cookie.ts";
import type { ConsoleSessions, OpenConsoleSession } from "./sign-in/console-sessions.ts";
import { assertJsonType, assertOwnSite } from "./sign-in/own-site.ts";

/** Maximum length of an API secret. Longer values are refused without a look-up. */
export const SECRET_MAX_CHARACTERS = 512;

export interface AuthenticatorOptions {
  database: Database;
  gate: SecretGate;
  tokens: Tokens;
  limiter: RateLimiter;
  links: BillingLinks;
  isPublicAgent: IsPublicAgent;
  isMember: IsMember;
  consoleSessions: ConsoleSessions;
  /** Base of the service's URLs, without a trailing slash. */
  publicUrl: string;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Whether the account has shared this agent with the public. */
export type IsPublicAgent = (agentCode: string, userId: string) => Promise<boolean>;

/** Whether the account is a member of an organization. */
export type IsMember = (organizationId: string, userId: string) => Promise<boolean>;

/** Ways to authenticate of routes that a session of an avatar begins with. */
const TALK_KINDS: readonly (AuthKind | undefined)[] = ["token-secret", "token-secret-or-page", "launch"];

const MISSING_SECRET = `The API secret is missing. Send it as ${HEADER_API_SECRET}, or as Authorization: Bearer`;

/** Requests per minute of all start pages together. They act for the operator's account, which has wide limits. */
const PAGE_RATES: Readonly<Record<AccountTier, number>> = { generate: 10, write: 60, read: 360 };

/** Error code for a revoked secret; token endpoints have their own. */
type Revocation = "UNAUTHORIZED" | "RUNTIME_SUSPENDED";

type Methods = { [Kind in AuthKind]: (credentials: Credentials, route: RouteAccess) => Promise<Authenticated<Kind>> };

/** The authenticator of all routes. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { database, gate, tokens, limiter, links, isPublicAgent, isMember, consoleSessions, publicUrl, now } = options;
  const cookies = createConsoleCookies(publicUrl);
  const failures = createFailedAuthentications(limiter, now);

  /** Throws unless the account may call the route. `needsPlan`: whether the plan has to include API access. */
  async function admitAccount(
    { account, standing }: Pick<SecretOwner, "account" | "standing">,
    revocation: Revocation,
    route: RouteAccess,
    needsPlan = true,
  ): Promise<void> {
    if (revocation === "RUNTIME_SUSPENDED" && account.isRuntimeSuspended) {
      throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
    }
    if (needsPlan && !(await hasApiAccess(database, account, now()))) {
      throw new ServiceError("PLAN_REQUIRED", "API access needs a paid plan (Creator or higher)", {
        details: { upgrade_url: links.upgradeUrl },
      });
    }
    if (!isOpenToSuspended(route)) assertNotSuspended(account, standing);
  }

  /** The account of a public agent. Throws NOT_FOUND if the agent is not public now. */
  async function admitVisitor(userId: string, agentCode: string, route: RouteAccess): Promise<Account> {
    const account = (await isPublicAgent(agentCode, userId)) ? await findAccount(database, userId) : null;
    if (account === null) throw notShared();
    const standing = standingOf(account, (await balanceOf(database, userId)).total);
    await admitAccount({ account, standing }, "RUNTIME_SUSPENDED", route);
    return account;
  }

  /** Returns the owner of a secret if that secret may call the route. */
  async function admit(
    found: SecretOwner | null,
    revocation: Revocation,
    route: RouteAccess,
    needsPlan = true,
  ): Promise<SecretOwner> {
    if (!found) throw new ServiceError("UNAUTHORIZED", "The API secret is not valid");
    if (found.isRevoked) throw new ServiceError(revocation, "The API secret was revoked");
    await admitAccount(found, revocation, route, needsPlan);
    if (route.personalSecretOnly && found.organizationId !== null) {
      throw new ServiceError(
        "FORBIDDEN",
        "The API secret of an organization cannot do this. Use a personal API secret.",
      );
    }
    return found;
  }

  const admitById = async (
    secretId: string,
    revocation: Revocation,
    route: RouteAccess,
    needsPlan = true,
  ): Promise<SecretOwner> => admit(await findBySecretId(database, secretId), revocation, route, needsPlan);

  /** The organization for which a person acts in the console; null for none. Throws FORBIDDEN for one of which they
   *  are no member, and for another one than that of the secret with which they signed in. */
  async function actingFor({ headers }: Credentials, owner: SecretOwner): Promise<string | null> {
    const named = headers[HEADER_ORGANIZATION];
    if (typeof named !== "string" || named === "" || named === owner.organizationId) return owner.organizationId;
    if (owner.organizationId === null && (await isMember(named, owner.account.userId))) return named;
    throw new ServiceError("FORBIDDEN", "You are not a member of this organization, or signed in for another one");
  }

  async function requireConsoleSession(credentials: Credentials, route: RouteAccess): Promise<OpenConsoleSession> {
    const value = cookies.read(credentials.headers);
    if (value === null) throw new ServiceError("MISSING_AUTH", "You are not signed in. Open /console.");
    const isUse = !route.isUnattended && credentials.headers[HEADER_UNATTENDED] === undefined;
    const session = await (isUse ? consoleSessions.use(value) : consoleSessions.find(value));
    if (session !== null) return session;
    throw new ServiceError("UNAUTHORIZED", "Your session has ended. Sign in again at /console.");
  }

  async function byConsole(credentials: Credentials, route: RouteAccess): Promise<ConsoleCaller> {
    assertOwnSite(credentials.headers, route.method, publicUrl);
    assertJsonType(credentials.headers);
    const { id: consoleSessionId, owner } = await requireConsoleSession(credentials, route);
    const organizationId = await actingFor(credentials, owner);
    const isTalk = TALK_KINDS.includes(route.mountedFrom);
    // A Free account may look around, talk with the minutes that it has, and delete. All else is use of the API.
    const isFree = isTalk || route.mountedFrom === undefined || route.method === "get" || route.method === "delete";
    // Who signed in as themselves stays that person, whatever they act for.
    const { account, secretId } = await admit(owner, isTalk ? "RUNTIME_SUSPENDED" : "UNAUTHORIZED", route, !isFree);
    return { kind: "secret", account, secretId, organizationId, isConsole: true, consoleSessionId };
  }

  async function bySecret(
    secret: string | null,
    revocation: Revocation,
    route: RouteAccess,
    missing = `The ${HEADER_API_SECRET} header is missing`,
  ): Promise<{ caller: SecretCaller; rate: BucketState | null }> {
    if (secret === null) throw new ServiceError("MISSING_AUTH", missing);
    const found = secret.length > SECRET_MAX_CHARACTERS ? null : await gate.open(secret, accountTierOf(route.tier));
    const { account, secretId, organizationId } = await admit(found?.owner ?? null, revocation, route);
    return {
      caller: { kind: "secret", account, secretId, organizationId, isConsole: false },
      rate: found?.rate ?? null,
    };
  }

  /** A secret, or a token of the start page. The token works only on the machine of the service. */
  async function bySecretOrPage(
    credentials: Credentials,
    revocation: Revocation,
    route: RouteAccess,
  ): Promise<{ caller: SecretCaller | PageCaller; rate: BucketState | null }> {
    const secret = secretOf(credentials);
    const token = bearerOf(credentials);
    // To all other tokens these routes answer as if they took none: the contract knows the secret only.
    const claims = secret === null && token !== null ? await tokens.page.verify(token).catch(() => null) : null;
    if (claims === null) return bySecret(secret, revocation, route);
    if (!isAddressedHere(credentials)) {
      throw new ServiceError("FORBIDDEN", "This token is valid only on the machine of the service");
    }
    const { account: operator, secretId } = await admitById(claims.key, revocation, route);
    const tier = accountTierOf(route.tier);
    const rate = tier && (await limiter.take(`page-${tier}:${operator.userId}`, PAGE_RATES[tier]));
    return { caller: { kind: "page", operator, secretId }, rate };
  }

  async function byLaunchToken(token: string, route: RouteAccess): Promise<LaunchTokenCaller> {
    const claims = await tokens.launch.verify(token);
    const { account, secretId } = await admitById(claims.key, "RUNTIME_SUSPENDED", route);
    return { kind: "launch-token", account, secretId, ...scopeOf(claims) };
  }

  async function byModelDownloadToken(token: string, route: RouteAccess): Promise<ModelDownloadCaller> {
    const claims = await tokens.modelDownload.verify(token);
    const { account, secretId } = await admitById(claims.key, "UNAUTHORIZED", route);
    return { kind: "model-download", account, secretId, agentCode: claims.agent };
  }

  async function byRuntimeToken(token: string, route: RouteAccess): Promise<RuntimeCaller> {
    const claims = await tokens.runtime.verify(token);
    const { account, secretId } = await admitById(claims.key, "RUNTIME_SUSPENDED", route);
    const launch = claims.launch ? scopeOf(claims.launch) : null;
    return { kind: "runtime", account, secretId, transactionId: claims.tx ?? null, launch };
  }

  const methods: Methods = {
    none: async () => ({ caller: null, rate: null }),
    console: async (credentials, route) => ({ caller: await byConsole(credentials, route), rate: null }),
    secret: (credentials, route) => bySecret(secretOf(credentials), "UNAUTHORIZED", route),
    "secret-or-bearer"(credentials, route) {
      const bearer = bearerOf(credentials);
      const secret = secretOf(credentials) ?? (bearer !== null && !looksLikeJwt(bearer) ? bearer : null);
      return bySecret(secret, "UNAUTHORIZED", route, MISSING_SECRET);
    },
    "secret-or-page": (credentials, route) => bySecretOrPage(credentials, "UNAUTHORIZED", route),
    "token-secret": (credentials, route) => bySecret(secretOf(credentials), "RUNTIME_SUSPENDED", route),
    "token-secret-or-page": (credentials, route) => bySecretOrPage(credentials, "RUNTIME_SUSPENDED", route),
    async launch(credentials, route) {
      const secret = secretOf(credentials) ?? (credentials.isForm ? bearerOf(credentials) : null);
      if (secret === null || !looksLikeJwt(secret)) return bySecret(secret, "RUNTIME_SUSPENDED", route);
      return { caller: await byLaunchToken(secret, route), rate: null };
    },
    async "secret-or-model-download"(credentials, route) {
      const secret = secretOf(credentials);
      const token = bearerOf(credentials);
      if (secret !== null || token === null) return bySecret(secret, "UNAUTHORIZED", route);
      return { caller: await byModelDownloadToken(token, route), rate: null };
    },
    async "self-hosted-download"(credentials, route) {
      const secret = secretOf(credentials);
      const token = bearerOf(credentials);
      if (secret !== null || token === null || !looksLikeJwt(token)) {
        return bySecret(secret ?? token, "UNAUTHORIZED", route);
      }
      return { caller: await byModelDownloadToken(token, route), rate: null };
    },
    async embed(credentials, route) {
      const claims = await tokens.embed.verify(requireBearer(credentials));
      const { agent: agentCode, sid, model, demo: isDemo = false, console: isConsole = false, key } = claims;
      const isPublic = key === undefined;
      const { account, secretId } = isPublic
        ? { account: await admitVisitor(claims.sub, agentCode, route), secretId: null }
        : await admitById(key, "RUNTIME_SUSPENDED", route, !isConsole);
      // Tokens of the demo and of visits name no one.
      const endUserId = isDemo || isPublic ? null : claims.endUserId;
      const embed = { agentCode, sid, endUserId, model, isDemo, isPublic, isConsole };
      return { caller: { kind: "embed", account, secretId, ...embed }, rate: null };
    },
    async runtime(credentials, route) {
      return { caller: await byRuntimeToken(requireBearer(credentials), route), rate: null };
    },
    async "runtime-session"(credentials, route) {
      const token = requireBearer(credentials);
      // Most are tokens of workers. Any other token must be one of a self-hosted runtime.
      const claims = await tokens.runtimeSession.verify(token).catch(() => null);
      if (claims === null) return { caller: await byRuntimeToken(token, route), rate: null };
      const caller = { kind: "runtime-session", avatarSessionId: claims.sub, dispatchNumber: claims.dispatch } as const;
      return { caller, rate: null };
    },
  };

  /** Takes a request off the rate limit of callers that the gate does not count: those with a token, and Free accounts
   *  that still have access. */
  async function takeRate(caller: Callers[AuthKind], tier: RateTier): Promise<BucketState | null> {
    const accountTier = accountTierOf(tier);
    if (accountTier === null || caller === null || !("account" in caller)) return null;
    const { plan, userId } = caller.account;
    return limiter.take(accountBucket(accountTier, userId), ratePerMinute(plan, accountTier));
  }

  return {
    async authenticate(kind, credentials, route) {
      try {
        const { caller, rate } = await methods[kind](credentials, route);
        return { caller, rate: rate ?? (await takeRate(caller, route.tier)) };
      } catch (error) {
        const isFailure =
          error instanceof ServiceError && (error.code === "UNAUTHORIZED" || error.code === "MISSING_AUTH");
        if (isFailure) await failures.count(credentials.ip);
        throw error;
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

function scopeOf({ agent, room, lk, jti, model }: Omit<LaunchClaims, "sub" | "key">): LaunchScope {
  return { agentCode: agent, roomName: room, livekitUrl: lk, model, tokenId: jti };
}

function looksLikeJwt(value: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(value);
}
