// Organizations and members in answers.
import { z } from "zod";
import { ORGANIZATION_ROLES, type Organization, type OrganizationMember, seatsOf } from "./organization.ts";

/** Path parameters of an organization's routes; extend them with the others of the path. */
export const organizationParams = z.object({ org_id: z.string() });

export const organizationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    owner_user_id: z.string(),
    plan: z.string().meta({ description: "Plan of the owner" }),
    max_members: z.int().meta({ description: "Number of seats; open invitations count as taken" }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Organization" });

export const memberSchema = z
  .object({
    id: z.string(),
    user_id: z
      .string()
      .nullable()
      .meta({ description: "Account of the member; null until the invitation is accepted" }),
    email: z.string(),
    role: z.enum(ORGANIZATION_ROLES),
    status: z.enum(["active", "invited"]),
    created_at: z.iso.datetime(),
    joined_at: z.iso.datetime().nullable(),
    invite_expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "OrganizationMember" });

export function viewOrganization(organization: Organization): z.infer<typeof organizationSchema> {
  const { id, name, slug, plan, createdAt } = organization;
  return {
    id,
    name,
    slug,
    owner_user_id: organization.ownerUserId,
    plan,
    max_members: seatsOf(plan),
    created_at: createdAt.toISOString(),
  };
}

export function viewMember(member: OrganizationMember): z.infer<typeof memberSchema> {
  return {
    id: member.id,
    user_id: member.userId,
    email: member.email,
    role: member.role,
    status: member.userId === null ? "invited" : "active",
    created_at: member.createdAt.toISOString(),
    joined_at: member.joinedAt?.toISOString() ?? null,
    invite_expires_at: member.inviteExpiresAt?.toISOString() ?? null,
  };
}
