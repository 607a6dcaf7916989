// What an organization is: people with accounts of their own, who share knowledge bases and a list of secrets. It has no credits:
// a secret issued for it acts for, and is paid by, the member who issued it. Its plan is its owner's.
import { ServiceError } from "../../shared/errors.ts";
import { PLAN_LIMITS, type Plan } from "../accounts/plans/plans.ts";

/** Source: the contract. */
export const ORGANIZATION_ROLES = ["owner", "admin", "member"] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];
/** There is one owner, who hands it over by a transfer only. */
export const ASSIGNABLE_ROLES = ["admin", "member"] as const;
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

export interface Organization {
  /** UUID. */
  id: string;
  name: string;
  /** Unique among all organizations; lower-case letters, digits and hyphens. */
  slug: string;
  ownerUserId: string;
  /** The owner's. */
  plan: Plan;
  createdAt: Date;
}

/** Somebody in an organization, or invited to it. */
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

/** People that an organization may hold, open invitations counted. */
export function seatsOf(plan: Plan): number {
  return PLAN_LIMITS[plan].organizationSeats;
}

/** Throws PLAN_REQUIRED unless the plan has organizations at all. */
export function assertPlanHasOrganizations(plan: Plan, upgradeUrl: string): void {
  if (seatsOf(plan) > 0) return;
  throw new ServiceError("PLAN_REQUIRED", "Organizations need the Pro plan or higher", {
    details: { upgrade_url: upgradeUrl },
  });
}

/** Throws FORBIDDEN unless the role is one of those. */
export function assertRole(member: OrganizationMember, roles: readonly OrganizationRole[]): void {
  if (roles.includes(member.role)) return;
  throw new ServiceError(
    "FORBIDDEN",
    `This is for the ${roles.join(" or ")} of the organization; you are ${member.role}`,
  );
}

/** A slug made of a name; `organization` for a name without a letter or digit of ASCII. */
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
