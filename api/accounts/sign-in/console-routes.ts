// Routes of signing in to the console, and of its sessions. They are for its pages only.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { HEADER_UNATTENDED } from "../../../shared/wire-names.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type RequestInfo, type Route, route } from "../../kernel/http/route.ts";
import type { AccountServices } from "../account-services.ts";
import { SECRET_MAX_CHARACTERS } from "../authenticator.ts";
import { createFailedAuthentications } from "../failed-authentications.ts";
import { isOperator } from "../operator-account.ts";
import { PLAN_LIMITS } from "../plans/plans.ts";
import { findBySecret } from "../secrets/secret-store.ts";
import { accountOfIdentity } from "./account-of-identity.ts";
import { createConsoleCookies } from "./console-cookie.ts";
import type { ConsoleSessions } from "./console-sessions.ts";
import { createIssuer, ISSUER_STATE_MS } from "./issuer.ts";
import { assertOwnSite } from "./own-site.ts";
import { redeemSignInLink } from "./sign-in-links.ts";
import type { SignInMethod } from "./sign-in-tables.ts";

const TAGS = ["Console"];
const MAX_QUERY_CHARACTERS = 8_192;

/** How a person proves who they are. */
const proofSchema = z
  .object({
    link: z.string().max(100).optional(),
    secret: z.string().max(SECRET_MAX_CHARACTERS).optional(),
    /** Query of the issuer's callback. */
    callback: z.string().max(MAX_QUERY_CHARACTERS).optional(),
  })
  .refine((proof) => Object.values(proof).filter((part) => part !== undefined).length === 1, {
    error: "needs exactly one of link, secret and callback",
  });

const signedInSchema = z.object({
  signed_in: z.literal(true),
  session_id: z.string(),
  user_id: z.string(),
  email: z.string(),
  plan: z.string(),
  organization_id: z.string().nullable(),
  /** Names of the operations that the cookie opens. */
  operations: z.array(z.string()),
  /** Whether this is the operator of the service, who has pages of their own. */
  is_operator: z.boolean(),
});
const signedOutSchema = z.object({
  signed_in: z.literal(false),
  /** Name of the issuer that may be used; null without one. */
  issuer: z.string().nullable(),
  /** Whether the browser has the cookie of a session that has ended, or that no one began. */
  session_ended: z.boolean(),
});

const sessionSchema = z.object({
  id: z.string(),
  method: z.enum(["link", "secret", "issuer"]),
  user_agent: z.string(),
  address: z.string(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime(),
  is_current: z.boolean(),
});

interface Person {
  userId: string;
  /** The secret that was pasted; null without one. */
  secretId: string | null;
  method: SignInMethod;
}

/** `operations` names those of the API that the cookie opens. */
export function consoleRoutes(
  services: AccountServices,
  sessions: ConsoleSessions,
  operations: () => readonly string[],
): Route[] {
  const { config, database, limiter, logger, now } = services;
  const { publicUrl } = config.http;
  const cookies = createConsoleCookies(publicUrl);
  const issuer = createIssuer({ ...services, config: config.signIn, publicUrl });
  const failures = createFailedAuthentications(limiter, now);
  const shared = { tags: TAGS, internal: true, requiresJsonType: true } as const;

  async function prove(proof: z.infer<typeof proofSchema>, request: RequestInfo): Promise<Person> {
    if (proof.link !== undefined) {
      const userId = await redeemSignInLink(database, proof.link, new Date(now()));
      if (userId !== null) return { userId, secretId: null, method: "link" };
      throw new ServiceError(
        "UNAUTHORIZED",
        "This link does not work any more: it signs in once, within ten minutes. Make another one (avatar accounts link).",
      );
    }
    if (proof.secret !== undefined) {
      const owner = await findBySecret(database, proof.secret.trim());
      if (owner !== null && !owner.isRevoked) {
        return { userId: owner.account.userId, secretId: owner.secretId, method: "secret" };
      }
      throw new ServiceError("UNAUTHORIZED", "The API secret is not valid");
    }
    if (issuer === null) throw new ServiceError("VALIDATION_ERROR", "No issuer is set up on this installation");
    const identity = await issuer.finish(cookies.readState(request.headers), proof.callback ?? "");
    const userId = await accountOfIdentity(database, identity, new Date(now()));
    return { userId, secretId: null, method: "issuer" };
  }

  return [
    route({
      ...shared,
      method: "get",
      path: "/console/session",
      operation: "consoleSession.get",
      tier: "address",
      auth: "none",
      summary: "Who is signed in to the console",
      response: z.union([signedInSchema, signedOutSchema]),
      errors: ["FORBIDDEN"],
      async handler({ request }) {
        assertOwnSite(request.headers, "get", publicUrl);
        const value = cookies.read(request.headers);
        const isUse = request.headers[HEADER_UNATTENDED] === undefined;
        const session = value === null ? null : await (isUse ? sessions.use(value) : sessions.find(value));
        if (value === null || session === null) {
          return { signed_in: false as const, issuer: issuer?.name ?? null, session_ended: value !== null };
        }
        const { account, organizationId } = session.owner;
        return new Answer({
          // The cookie lasts as long as the session: from this use on.
          ...(isUse && { headers: { "Set-Cookie": cookies.write(value) } }),
          json: {
            signed_in: true as const,
            session_id: session.id,
            user_id: account.userId,
            email: account.email,
            plan: PLAN_LIMITS[account.plan].title,
            organization_id: organizationId,
            operations: [...operations()],
            is_operator: organizationId === null && isOperator(account),
          },
        });
      },
    }),
    route({
      ...shared,
      method: "post",
      path: "/console/session",
      operation: "consoleSession.create",
      tier: "address",
      auth: "none",
      summary: "Sign in to the console",
      body: proofSchema,
      response: z.object({ signed_in: z.literal(true) }),
      errors: ["FORBIDDEN", "UNAUTHORIZED"],
      async handler({ body, request }) {
        assertOwnSite(request.headers, "post", publicUrl);
        const person = await prove(body, request).catch(async (error: unknown) => {
          if (error instanceof ServiceError && error.code === "UNAUTHORIZED") await failures.count(request.ip);
          throw error;
        });
        const former = cookies.read(request.headers);
        const replaced = former === null ? null : await sessions.use(former);
        if (replaced) await sessions.end(replaced.id);
        const userAgent = String(request.headers["user-agent"] ?? "");
        const value = await sessions.begin({ ...person, userAgent, address: request.ip });
        logger.info({ userId: person.userId, method: person.method }, "signed in to the console");
        return new Answer({ headers: { "Set-Cookie": cookies.write(value) }, json: { signed_in: true as const } });
      },
    }),
    route({
      ...shared,
      method: "delete",
      path: "/console/session",
      operation: "consoleSession.delete",
      tier: "none",
      auth: "console",
      summary: "Sign out of the console. What was begun there goes on",
      response: z.object({ signed_in: z.literal(false) }),
      errors: ["FORBIDDEN"],
      async handler({ caller }) {
        await sessions.end(caller.consoleSessionId);
        return new Answer({ headers: { "Set-Cookie": cookies.clear() }, json: { signed_in: false as const } });
      },
    }),
    route({
      ...shared,
      method: "post",
      path: "/console/issuer",
      operation: "consoleSession.redirect",
      tier: "address",
      auth: "none",
      summary: "Where to sign in at the issuer",
      response: z.object({ url: z.string() }),
      errors: ["FORBIDDEN", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
      async handler({ request }) {
        assertOwnSite(request.headers, "post", publicUrl);
        if (issuer === null) throw new ServiceError("NOT_FOUND", "No issuer is set up on this installation");
        const { url, state } = await issuer.begin();
        return new Answer({ headers: { "Set-Cookie": cookies.writeState(state, ISSUER_STATE_MS) }, json: { url } });
      },
    }),
    route({
      ...shared,
      method: "get",
      path: "/console/sign-ins",
      operation: "consoleSessions.list",
      tier: "read",
      auth: "console",
      personalSecretOnly: true,
      summary: "Sessions of the console of this account",
      response: z.object({ data: z.array(sessionSchema), total_count: z.int() }),
      errors: ["FORBIDDEN"],
      async handler({ caller }) {
        const list = await sessions.list(caller.account.userId);
        const data = list.map((session) => ({
          id: session.id,
          method: session.method,
          user_agent: session.userAgent,
          address: session.address,
          created_at: session.createdAt.toISOString(),
          last_used_at: session.lastUsedAt.toISOString(),
          is_current: session.id === caller.consoleSessionId,
        }));
        return { data, total_count: data.length };
      },
    }),
    route({
      ...shared,
      method: "delete",
      path: "/console/sign-ins/:id",
      operation: "consoleSessions.revoke",
      tier: "write",
      auth: "console",
      personalSecretOnly: true,
      summary: "End a session of the console and all that was begun in it",
      params: z.object({ id: z.string() }),
      response: z.object({ id: z.string() }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        const isRevoked = await sessions.revoke(caller.account.userId, params.id);
        if (!isRevoked) throw new ServiceError("NOT_FOUND", "No such session of the console");
        return { id: params.id };
      },
    }),
  ];
}
