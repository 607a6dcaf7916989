// An organization: members with accounts of their own, who share knowledge bases and a list of secrets. It has no
// credits: a secret of the organization acts for the member who issued it, and that member pays. The organization has
// the plan of its owner.
import { ServiceError } from "../../shared/errors.ts";
import { PLAN_LIMITS, type Plan } from "../accounts/plans/plans.ts";

/** Source: the contract. */
export const ORGANIZATION_ROLES = ["owner", "admin", "member"] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];
/** Roles that can be assigned. Ownership changes only by a transfer. */
export const ASSIGNABLE_ROLES = ["admin", "member"] as const;
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

export interface Organization {
  /** UUID. */
  id: string;
  name: string;
  /** Unique among all organizations; lower-case letters, digits and hyphens. */
  slug: string;
  ownerUserId: string;
  /** The owner's plan. */
  plan: Plan;
  createdAt: Date;
}

/** A member of an organization, or an open invitation. */
export interface OrganizationMember {
  id: string;
  email: string;
  role: OrganizationRole;
  /** Null while the invitation is open. */
  userId: string | null;
  createdAt: Date;
  joinedAt: Date | null;
  inviteExpiresAt: Date | null;
}

/** Most members of an organization, open invitations included. */
export function seatsOf(plan: Plan): number {
  return PLAN_LIMITS[plan].organizationSeats;
}

/** Throws PLAN_REQUIRED unless the plan includes organizations. */
export function assertPlanHasOrganizations(plan: Plan, upgradeUrl: string): void {
  if (seatsOf(plan) > 0) return;
  throw new ServiceError("PLAN_REQUIRED", "Organizations need the Pro plan or higher", {
    details: { upgrade_url: upgradeUrl },
  });
}

/** Throws FORBIDDEN unless the member has one of the roles. */
export function assertRole(member: OrganizationMember, roles: readonly OrganizationRole[]): void {
  if (roles.includes(member.role)) return;
  throw new ServiceError(
    "FORBIDDEN",
    `Only the ${roles.join(" or ")} of the organization may do this. Your role is ${member.role}.`,
  );
}

/** Derives a slug from a name; `organization` for a name without ASCII letters or digits. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return slug.length >= 2 ? slug : "organization";
}
