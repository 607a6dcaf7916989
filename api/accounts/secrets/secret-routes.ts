// Routes of an account's API secrets. Only the answer that issues a secret contains its value.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { assertOwnAccount, ownAccountParams } from "../own-account.ts";
import { issueSecret, secretAliasSchema } from "./issue-secret.ts";
import { listSecrets, revokeSecret } from "./secret-store.ts";
import { secretSummarySchema, viewSecret } from "./secret-views.ts";

const TAGS = ["Accounts"];
const aliasParams = ownAccountParams.extend({ alias: z.string() });

export function secretRoutes({ database, logger, now }: Kernel): Route[] {
  return [
    route({
      method: "post",
      path: "/v2/:user_id/api-secrets",
      operation: "secrets.create",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Issue an API secret; only this answer contains its value",
      tags: TAGS,
      params: ownAccountParams,
      body: z.object({
        alias: secretAliasSchema
          .nullish()
          .meta({ description: "Name of the secret, 1 to 32 characters. Default: a random one" }),
        keep_runtime_suspended: z.boolean().default(false).meta({
          description:
            "Whether runtime access stays suspended after runtime/revoke-all. By default a new secret restores it",
        }),
      }),
      example: { body: { alias: "laptop" } },
      response: z.object({
        alias: z.string(),
        secret: z.string(),
        runtime_resumed: z.literal(true).optional().meta({ description: "Whether this call restored runtime access" }),
      }),
      errors: ["FORBIDDEN", "CONFLICT"],
      async handler({ params, body, caller, request }) {
        assertOwnAccount(caller.account, params.user_id);
        // A call without a body is probably a mistake, and its secret would go unnoticed.
        if (!hasBody(request.headers))
          throw new ServiceError("MISSING_PARAM", "A JSON body is required. Send {} to use the defaults.");
        const { userId } = caller.account;
        const { alias, secret, hasResumedRuntime } = await issueSecret(database, {
          userId,
          alias: body.alias ?? null,
          keepsRuntimeSuspended: body.keep_runtime_suspended,
          now: new Date(now()),
        });
        logger.info({ userId, alias, hasResumedRuntime }, "api secret issued");
        return { alias, secret, ...(hasResumedRuntime && { runtime_resumed: true as const }) };
      },
    }),
    route({
      method: "get",
      path: "/v2/:user_id/api-secrets",
      operation: "secrets.list",
      tier: "read",
      auth: "secret",
      personalSecretOnly: true,
      summary: "List the account's API secrets in use, without their values",
      tags: TAGS,
      params: ownAccountParams,
      response: z.object({
        user_id: z.string(),
        data: z.array(secretSummarySchema),
        total_count: z.int(),
      }),
      errors: ["FORBIDDEN"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { userId } = caller.account;
        const secrets = await listSecrets(database, userId);
        return {
          user_id: userId,
          data: secrets.map(viewSecret),
          total_count: secrets.length,
        };
      },
    }),
    route({
      method: "get",
      path: "/v2/:user_id/api-secrets/:alias/get-value",
      operation: "secrets.reveal",
      tier: "read",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Always refused: a stored value cannot be read with an API secret",
      tags: TAGS,
      params: aliasParams,
      errors: ["FORBIDDEN", "SECRET_REVEAL_CONSOLE_ONLY"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        throw new ServiceError(
          "SECRET_REVEAL_CONSOLE_ONLY",
          "The value of a secret cannot be read with an API secret. If it is lost, issue a new one and revoke this one.",
        );
      },
    }),
    route({
      method: "delete",
      path: "/v2/:user_id/api-secrets/:alias",
      operation: "secrets.revoke",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Revoke an API secret; takes effect at once and cannot be undone",
      tags: TAGS,
      params: aliasParams,
      response: z.object({ alias: z.string(), message: z.string() }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { alias } = params;
        const isRevoked = await revokeSecret(database, caller.account.userId, alias, new Date(now()));
        if (!isRevoked) throw new ServiceError("NOT_FOUND", `No secret with the alias "${alias.slice(0, 100)}"`);
        return { alias, message: "The secret is revoked. Sessions that it started stop at their next usage report." };
      },
    }),
  ];
}

/** Whether a request has a body at all, by the headers that announce one. */
function hasBody(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}
