// Routes of an organization's members and invitations.
import { z } from "zod";
import { type Route, route } from "../kernel/http/route.ts";
import type { Invited, Members } from "./members.ts";
import { ASSIGNABLE_ROLES } from "./organization.ts";
import {
  memberSchema,
  organizationParams,
  organizationSchema,
  viewMember,
  viewOrganization,
} from "./organization-views.ts";

const TAGS = ["Organizations"];

const memberParams = organizationParams.extend({ member_id: z.string() });
const roleSchema = z.enum(ASSIGNABLE_ROLES);
const invitedSchema = memberSchema.extend({
  invite_token: z
    .string()
    .meta({ description: "Token of the invitation, valid for seven days; only this answer contains it" }),
});

export function memberRoutes(members: Members): Route[] {
  const viewInvited = ({ member, token }: Invited) => ({ ...viewMember(member), invite_token: token });

  return [
    route({
      method: "get",
      path: "/v2/organizations/:org_id/members",
      operation: "members.list",
      tier: "read",
      auth: "secret",
      summary: "List the members and open invitations of the organization",
      tags: TAGS,
      params: organizationParams,
      response: z.object({ org_id: z.string(), members: z.array(memberSchema), total: z.int() }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const all = await members.list(caller.account, params.org_id);
        return { org_id: params.org_id, members: all.map(viewMember), total: all.length };
      },
    }),
    route({
      method: "post",
      path: "/v2/organizations/:org_id/members/invite",
      operation: "members.invite",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Invite an e-mail address; the caller must send the token to the person. Owner and admins only",
      tags: TAGS,
      params: organizationParams,
      body: z.object({
        email: z.email().max(254).refine(hasShortLocalPart, "must have at most 64 characters before the @"),
        role: roleSchema.nullish().meta({ description: "Role of the new member. Default: member" }),
      }),
      example: { body: { email: "colleague@museum.example", role: "member" } },
      response: invitedSchema,
      errors: ["NOT_FOUND", "FORBIDDEN", "PLAN_REQUIRED", "CONFLICT"],
      async handler({ params, body, caller }) {
        const invitation = { email: body.email, role: body.role ?? ("member" as const) };
        return viewInvited(await members.invite(caller.account, params.org_id, invitation));
      },
    }),
    route({
      method: "post",
      path: "/v2/organizations/:org_id/members/:member_id/resend-invite",
      operation: "members.resendInvite",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Renew an open invitation: new token, valid for seven days; owner and admins only",
      tags: TAGS,
      params: memberParams,
      response: invitedSchema,
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      async handler({ params, caller }) {
        return viewInvited(await members.resendInvite(caller.account, params.org_id, params.member_id));
      },
    }),
    route({
      method: "patch",
      path: "/v2/organizations/:org_id/members/:member_id",
      operation: "members.update",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Change a member's role; owner and admins only",
      tags: TAGS,
      params: memberParams,
      body: z.object({ role: roleSchema }),
      example: { body: { role: "admin" } },
      response: memberSchema,
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      async handler({ params, body, caller }) {
        return viewMember(await members.setRole(caller.account, params.org_id, params.member_id, body.role));
      },
    }),
    route({
      method: "delete",
      path: "/v2/organizations/:org_id/members/:member_id",
      operation: "members.remove",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Remove a member, withdraw an invitation, or leave; revokes the secrets that the member issued",
      tags: TAGS,
      params: memberParams,
      response: z.object({ id: z.string(), deleted: z.literal(true) }),
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      async handler({ params, caller }) {
        const { id } = await members.remove(caller.account, params.org_id, params.member_id);
        return { id, deleted: true as const };
      },
    }),
    route({
      method: "post",
      path: "/v2/organizations/accept-invite",
      operation: "members.acceptInvite",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Join an organization with the token of an invitation to the account's e-mail address",
      tags: TAGS,
      body: z.object({ token: z.string().min(1).max(200) }),
      example: { body: { token: "TOKEN" } },
      response: z.object({ organization: organizationSchema, member: memberSchema }),
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      async handler({ body, caller }) {
        const { organization, member } = await members.accept(caller.account, body.token);
        return { organization: viewOrganization(organization), member: viewMember(member) };
      },
    }),
  ];
}

/** Longest e-mail address that mail servers accept. Source: RFC 5321. */
function hasShortLocalPart(email: string): boolean {
  return email.indexOf("@") <= 64;
}
