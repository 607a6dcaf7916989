// Routes of the API secrets of an organization. Only the answer that issues a secret contains its value.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { AccountServices } from "../accounts/account-services.ts";
import { secretAliasSchema } from "../accounts/secrets/issue-secret.ts";
import { secretSummarySchema, viewSecret } from "../accounts/secrets/secret-views.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { assertPlanHasOrganizations } from "./organization.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { issueOrganizationSecret, listOrganizationSecrets, revokeOrganizationSecrets } from "./organization-secrets.ts";
import { organizationParams } from "./organization-views.ts";

const TAGS = ["Organizations"];

export function organizationSecretRoutes({ database, links }: AccountServices, access: OrganizationAccess): Route[] {
  return [
    route({
      method: "post",
      path: "/v2/organizations/:org_id/api-secrets",
      operation: "organizationSecrets.create",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary:
        "Issue an API secret of the organization; it acts for the caller, who pays; only this answer contains its value",
      tags: TAGS,
      params: organizationParams,
      body: z.object({
        alias: secretAliasSchema.nullish().meta({ description: "Name of the secret. Default: a random one" }),
      }),
      example: { body: { alias: "kiosk" } },
      response: z.object({ alias: z.string(), secret: z.string() }),
      errors: ["NOT_FOUND", "PLAN_REQUIRED", "CONFLICT"],
      async handler({ params, body, caller }) {
        const { account } = caller;
        const roles = ["owner", "admin", "member"] as const;
        return access.change(account, params.org_id, roles, async ({ transaction, organization, at, note }) => {
          assertPlanHasOrganizations(organization.plan, links.upgradeUrl);
          const options = {
            organizationId: organization.id,
            userId: account.userId,
            alias: body.alias ?? null,
            now: at,
          };
          const issued = await issueOrganizationSecret(transaction, options);
          await note("api_secret.created", issued.alias);
          return issued;
        });
      },
    }),
    route({
      method: "get",
      path: "/v2/organizations/:org_id/api-secrets",
      operation: "organizationSecrets.list",
      tier: "read",
      auth: "secret",
      summary: "List the organization's API secrets in use, without their values",
      tags: TAGS,
      params: organizationParams,
      response: z.object({
        org_id: z.string(),
        data: z.array(
          secretSummarySchema
            .extend({
              user_id: z.string().meta({ description: "Account that issued it and pays for it" }),
            })
            .meta({ id: "OrganizationSecret" }),
        ),
        total_count: z.int(),
      }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const { organization } = await access.read(caller.account, params.org_id);
        const secrets = await listOrganizationSecrets(database, organization.id);
        const data = secrets.map((secret) => ({ ...viewSecret(secret), user_id: secret.userId }));
        return { org_id: organization.id, data, total_count: secrets.length };
      },
    }),
    route({
      method: "delete",
      path: "/v2/organizations/:org_id/api-secrets/:alias",
      operation: "organizationSecrets.revoke",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Revoke an API secret of the organization; members may revoke only their own",
      tags: TAGS,
      params: organizationParams.extend({ alias: z.string() }),
      response: z.object({ alias: z.string(), message: z.string() }),
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ params, caller }) {
        const { org_id: id, alias } = params;
        const roles = ["owner", "admin", "member"] as const;
        await access.change(caller.account, id, roles, async ({ transaction, member, at, note }) => {
          const secret = (await listOrganizationSecrets(transaction, id)).find((entry) => entry.alias === alias);
          if (!secret) throw new ServiceError("NOT_FOUND", `No secret with the alias "${alias.slice(0, 100)}"`);
          if (member.role === "member" && secret.userId !== caller.account.userId) {
            throw new ServiceError("FORBIDDEN", "Your role is member, so you may revoke only secrets that you issued");
          }
          await revokeOrganizationSecrets(transaction, { organizationId: id, alias, at });
          await note("api_secret.revoked", alias);
        });
        return { alias, message: "The secret is revoked. Sessions that it started stop at their next usage report." };
      },
    }),
  ];
}
