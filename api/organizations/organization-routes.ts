// Routes of organizations themselves.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { assertOwnAccount, ownAccountParams } from "../accounts/own-account.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { paginationOf, paginationSchema } from "../kernel/http/shared-schemas.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { AUDIT_ACTIONS, listEvents } from "./audit-log.ts";
import { sumUsage } from "./member-store.ts";
import { ORGANIZATION_ROLES } from "./organization.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { listOrganizationsOf } from "./organization-store.ts";
import { organizationParams, organizationSchema, viewOrganization } from "./organization-views.ts";
import type { Organizations } from "./organizations.ts";

const TAGS = ["Organizations"];

const nameSchema = z.string().trim().min(1).max(100);
const slugSchema = z
  .string()
  .min(2)
  .max(48)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, {
    error: "must consist of lower-case letters and digits, with single hyphens between them",
  });

/** An entry of the audit log. */
const eventSchema = z
  .object({
    id: z.int(),
    action: z.enum(AUDIT_ACTIONS),
    actor_user_id: z.string(),
    actor_email: z.string(),
    target: z.string().meta({ description: "What the action concerned: an e-mail address, an alias or a name" }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "OrganizationEvent" });

/** What a member has spent since joining. */
const usageSchema = z
  .object({ user_id: z.string(), email: z.string(), total_credits_used: z.int() })
  .meta({ id: "MemberUsage" });

/** An organization of the caller. */
const ownOrganizationSchema = organizationSchema
  .extend({ role: z.enum(ORGANIZATION_ROLES) })
  .meta({ id: "OwnOrganization" });

export function organizationRoutes(
  { database }: Kernel,
  access: OrganizationAccess,
  organizations: Organizations,
): Route[] {
  return [
    route({
      method: "post",
      path: "/v2/organizations",
      operation: "organizations.create",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Create an organization; needs the Pro plan or higher",
      tags: TAGS,
      body: z.object({
        name: nameSchema,
        slug: slugSchema
          .nullish()
          .meta({ description: "Short name for URLs, 2 to 48 characters. Default: derived from the name" }),
      }),
      example: { body: { name: "Museum of the Sea" } },
      response: organizationSchema,
      errors: ["PLAN_REQUIRED", "CONFLICT"],
      async handler({ body, caller }) {
        const { name, slug } = body;
        return viewOrganization(await organizations.create(caller.account, { name, slug: slug ?? undefined }));
      },
    }),
    route({
      method: "get",
      path: "/v2/organizations/:org_id",
      operation: "organizations.get",
      tier: "read",
      auth: "secret",
      summary: "Get an organization of the account",
      tags: TAGS,
      params: organizationParams,
      response: organizationSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        return viewOrganization((await access.read(caller.account, params.org_id)).organization);
      },
    }),
    route({
      method: "patch",
      path: "/v2/organizations/:org_id",
      operation: "organizations.update",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Rename an organization; owner and admins only",
      tags: TAGS,
      params: organizationParams,
      body: z.object({ name: nameSchema.nullish(), slug: slugSchema.nullish() }),
      example: { body: { name: "Museum of the Ocean" } },
      response: organizationSchema,
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      async handler({ params, body, caller }) {
        const patch = { ...(body.name && { name: body.name }), ...(body.slug && { slug: body.slug }) };
        if (Object.keys(patch).length === 0) {
          throw new ServiceError("MISSING_PARAM", "Nothing to change: name or slug is required");
        }
        return viewOrganization(await organizations.update(caller.account, params.org_id, patch));
      },
    }),
    route({
      method: "delete",
      path: "/v2/organizations/:org_id",
      operation: "organizations.delete",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Delete an organization and revoke its secrets; owner only",
      tags: TAGS,
      params: organizationParams,
      response: z.object({ id: z.string(), deleted: z.literal(true) }),
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ params, caller }) {
        await organizations.delete(caller.account, params.org_id);
        return { id: params.org_id, deleted: true as const };
      },
    }),
    route({
      method: "post",
      path: "/v2/organizations/:org_id/transfer-ownership",
      operation: "organizations.transfer",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Transfer an organization to another member, who needs the Pro plan or higher; owner only",
      tags: TAGS,
      params: organizationParams,
      body: z.object({ user_id: z.uuid().meta({ description: "Account of the member who becomes the owner" }) }),
      example: { body: { user_id: "00000000-0000-4000-8000-000000000000" } },
      response: organizationSchema,
      errors: ["NOT_FOUND", "FORBIDDEN", "PLAN_REQUIRED"],
      async handler({ params, body, caller }) {
        const userId = body.user_id.toLowerCase();
        return viewOrganization(await organizations.transfer(caller.account, params.org_id, userId));
      },
    }),
    route({
      method: "get",
      path: "/v2/organizations/:org_id/usage",
      operation: "organizations.listUsage",
      tier: "read",
      auth: "secret",
      summary: "List the credits that each member has spent since joining; owner and admins only",
      tags: TAGS,
      params: organizationParams,
      response: z.object({
        org_id: z.string(),
        usage: z.array(usageSchema),
      }),
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ params, caller }) {
        const { organization } = await access.read(caller.account, params.org_id, ["owner", "admin"]);
        const usage = await sumUsage(database, organization.id);
        return {
          org_id: organization.id,
          usage: usage.map(({ userId, email, credits }) => ({ user_id: userId, email, total_credits_used: credits })),
        };
      },
    }),
    route({
      method: "get",
      path: "/v2/organizations/:org_id/audit-log",
      operation: "organizations.listEvents",
      tier: "read",
      auth: "secret",
      summary: "List the audit log, newest first; owner and admins only",
      tags: TAGS,
      params: organizationParams,
      query: z.object({
        limit: z.coerce.number().int().min(1).max(500).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
      response: z.object({
        org_id: z.string(),
        events: z.array(eventSchema),
        pagination: paginationSchema,
      }),
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ params, query, caller }) {
        const { organization } = await access.read(caller.account, params.org_id, ["owner", "admin"]);
        const { events, total } = await listEvents(database, organization.id, query);
        const { limit, offset } = query;
        return {
          org_id: organization.id,
          events: events.map(({ id, action, actorUserId, actorEmail, target, at }) => ({
            id,
            action,
            actor_user_id: actorUserId,
            actor_email: actorEmail,
            target,
            created_at: at.toISOString(),
          })),
          pagination: paginationOf({ limit, offset, total }, events),
        };
      },
    }),
    route({
      method: "get",
      path: "/v2/users/:user_id/organizations",
      operation: "organizations.listOwn",
      tier: "read",
      auth: "secret",
      summary: "List the organizations of the account",
      tags: TAGS,
      params: ownAccountParams,
      response: z.object({
        user_id: z.string(),
        organizations: z.array(ownOrganizationSchema),
      }),
      errors: ["FORBIDDEN"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { userId } = caller.account;
        const memberships = await listOrganizationsOf(database, userId);
        return {
          user_id: userId,
          organizations: memberships.map(({ organization, role }) => ({ ...viewOrganization(organization), role })),
        };
      },
    }),
  ];
}
