// The rules of organizations: who may do what, each change in one transaction with its line in the audit log. To those who are not in
// an organization it does not exist.
import { createHash, randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import pg from "pg";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import type { BillingLinks } from "../accounts/billing-links.ts";
import type { Database, Queryable, Tables } from "../database/database.ts";
import { type AuditAction, noteEvent } from "./audit-log.ts";
import {
  deleteMember,
  findInvitation,
  findMember,
  findMemberOfAccount,
  insertInvitation,
  joinMember,
  listMembers,
  renewInvitation,
  setRole,
} from "./member-store.ts";
import {
  type AssignableRole,
  assertPlanHasOrganizations,
  assertRole,
  type Organization,
  type OrganizationMember,
  type OrganizationRole,
  seatsOf,
  slugOf,
} from "./organization.ts";
import { revokeOrganizationSecrets } from "./organization-secrets.ts";
import {
  countOwned,
  deleteOrganization,
  findOrganization,
  insertOrganization,
  lockOrganization,
  updateOrganization,
} from "./organization-store.ts";

/** Source: the contract. */
const INVITE_LIFETIME_MS = 7 * 24 * 3_600_000;
const INVITE_RANDOM_BYTES = 24;
/** Organizations that one account may own: a bound, no part of a plan. */
const MAX_OWNED = 20;
const SLUG_INDEX = "organizations_slug";
const SLUG_ATTEMPTS = 5;
const SLUG_SUFFIX_BYTES = 3;

export interface OrganizationsOptions {
  database: Database;
  links: BillingLinks;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** An organization as one of its members sees it. */
export interface Membership {
  organization: Organization;
  member: OrganizationMember;
}

export interface Invited {
  member: OrganizationMember;
  /** Shown this once; good for seven days and one account. */
  token: string;
}

export type Organizations = ReturnType<typeof createOrganizations>;

/** The rules, on a database. Every function throws NOT_FOUND to those outside, FORBIDDEN to those whose role does not allow it. */
export function createOrganizations({ database, links, now }: OrganizationsOptions) {
  /** Runs a change that one of the roles may make, with the organization's row held. */
  function change<T>(
    account: Account,
    id: string,
    roles: readonly OrganizationRole[],
    work: (context: ChangeContext) => Promise<T>,
  ): Promise<T> {
    return database.transaction().execute(async (transaction) => {
      await requireMembership(transaction, account, id);
      await lockOrganization(transaction, id);
      const membership = await requireMembership(transaction, account, id);
      assertRole(membership.member, roles);
      const at = new Date(now());
      const note = (action: AuditAction, target: string) =>
        noteEvent(transaction, id, { actorUserId: account.userId, action, target, at });
      return work({ transaction, ...membership, at, note });
    });
  }

  return {
    /** Makes an organization that the account owns. Throws PLAN_REQUIRED below Pro, CONFLICT if a slug that was asked for is taken. */
    create(account: Account, wish: { name: string; slug?: string }): Promise<Organization> {
      assertPlanHasOrganizations(account.plan, links.upgradeUrl);
      return database.transaction().execute(async (transaction) => {
        // The account's row is held, so that its organizations are counted one after the other.
        await findAccount(transaction, account.userId, { lock: true });
        if ((await countOwned(transaction, account.userId)) >= MAX_OWNED) {
          throw new ServiceError("CONFLICT", `An account may own ${MAX_OWNED} organizations; delete one first`);
        }
        const organization = await insertUnderFreeSlug(transaction, account, wish, new Date(now()));
        const event = { actorUserId: account.userId, target: organization.name, at: organization.createdAt };
        await noteEvent(transaction, organization.id, { ...event, action: "organization.created" });
        return organization;
      });
    },

    /** What a member may read of it. */
    get: (account: Account, id: string, roles?: readonly OrganizationRole[]) =>
      readMembership(database, account, id, roles),

    /** Renames it. Throws CONFLICT if the slug is taken. */
    update(account: Account, id: string, patch: { name?: string; slug?: string }): Promise<Organization> {
      const work = change(account, id, ["owner", "admin"], async ({ transaction, organization, note }) => {
        await updateOrganization(transaction, id, patch);
        await note("organization.updated", Object.keys(patch).sort().join(", "));
        return { ...organization, ...patch };
      });
      return work.catch((error: unknown) => {
        if (error instanceof pg.DatabaseError && error.constraint === SLUG_INDEX) throw slugTaken(patch.slug ?? "");
        throw error;
      });
    },

    /** Deletes it with its invitations and secrets; its members keep what is theirs. */
    delete(account: Account, id: string): Promise<void> {
      return change(account, id, ["owner"], async ({ transaction, at }) => {
        await revokeOrganizationSecrets(transaction, { organizationId: id, at });
        await deleteOrganization(transaction, id, at);
      });
    },

    /** Makes another member the owner; the owner before stays as an admin. Throws PLAN_REQUIRED if that member's plan has none. */
    transfer(account: Account, id: string, newOwnerUserId: string): Promise<Organization> {
      return change(account, id, ["owner"], async ({ transaction, organization, member, note }) => {
        const next = await findMemberOfAccount(transaction, id, newOwnerUserId);
        if (!next) throw new ServiceError("NOT_FOUND", "The new owner is no member of the organization");
        if (next.id === member.id) return organization;
        const owner = await findAccount(transaction, newOwnerUserId);
        if (!owner) throw new ServiceError("NOT_FOUND", "The new owner's account is gone");
        assertPlanHasOrganizations(owner.plan, links.upgradeUrl);
        await setRole(transaction, member.id, "admin");
        await setRole(transaction, next.id, "owner");
        await note("organization.transferred", next.email);
        return { ...organization, ownerUserId: newOwnerUserId, plan: owner.plan };
      });
    },

    /** Members and those invited. */
    async members(account: Account, id: string): Promise<OrganizationMember[]> {
      await readMembership(database, account, id);
      return listMembers(database, id);
    },

    /** Invites an address. Throws CONFLICT if it is a member or invited, PLAN_REQUIRED when no seat is left. */
    invite(account: Account, id: string, wish: { email: string; role: AssignableRole }): Promise<Invited> {
      return change(account, id, ["owner", "admin"], async ({ transaction, organization, at, note }) => {
        assertSeat(organization, (await listMembers(transaction, id)).length, links);
        const token = randomBytes(INVITE_RANDOM_BYTES).toString("base64url");
        const member = await insertInvitation(transaction, {
          organizationId: id,
          ...wish,
          tokenSha256: hashInvite(token),
          expiresAt: new Date(at.getTime() + INVITE_LIFETIME_MS),
          createdAt: at,
        });
        if (!member) throw new ServiceError("CONFLICT", `${wish.email} is a member or invited already`);
        await note("member.invited", member.email);
        return { member, token };
      });
    },

    /** Gives an open invitation a new token and seven days more; the old token is void. */
    resendInvite(account: Account, id: string, memberId: string): Promise<Invited> {
      return change(account, id, ["owner", "admin"], async ({ transaction, at, note }) => {
        const member = await requireMember(transaction, id, memberId);
        if (member.userId !== null) throw new ServiceError("CONFLICT", `${member.email} has joined already`);
        const token = randomBytes(INVITE_RANDOM_BYTES).toString("base64url");
        const expiresAt = new Date(at.getTime() + INVITE_LIFETIME_MS);
        await renewInvitation(transaction, member.id, { tokenSha256: hashInvite(token), expiresAt });
        await note("member.invite_resent", member.email);
        return { member: { ...member, inviteExpiresAt: expiresAt }, token };
      });
    },

    /** Joins an organization. Throws NOT_FOUND for a token that is void, FORBIDDEN for another address, CONFLICT when it came too late. */
    accept(account: Account, token: string): Promise<Membership> {
      return database.transaction().execute(async (transaction) => {
        const found = await findInvitation(transaction, hashInvite(token));
        const organization = found && (await findOrganization(transaction, found.organizationId));
        if (!found || !organization) {
          throw new ServiceError("NOT_FOUND", "This invitation is not open: it was used, replaced or withdrawn");
        }
        const { member } = found;
        if (member.email.toLowerCase() !== account.email.toLowerCase()) {
          throw new ServiceError("FORBIDDEN", "This invitation is for another e-mail address than your account's");
        }
        const at = new Date(now());
        if (member.inviteExpiresAt && member.inviteExpiresAt <= at) {
          throw new ServiceError("CONFLICT", "This invitation has expired. Ask for it to be sent again.");
        }
        await joinMember(transaction, member.id, account, at);
        const { userId, email } = account;
        const event = { actorUserId: userId, action: "member.joined", target: email, at } as const;
        await noteEvent(transaction, organization.id, event);
        return { organization, member: { ...member, userId, email, joinedAt: at, inviteExpiresAt: null } };
      });
    },

    /** Changes a member's role. The owner's changes by a transfer alone. */
    setRole(account: Account, id: string, memberId: string, role: AssignableRole): Promise<OrganizationMember> {
      return change(account, id, ["owner", "admin"], async ({ transaction, note }) => {
        const member = await requireMember(transaction, id, memberId);
        if (member.role === "owner") throw ownerStays();
        if (member.role !== role) {
          await setRole(transaction, member.id, role);
          await note("member.role_changed", `${member.email}: ${role}`);
        }
        return { ...member, role };
      });
    },

    /** Takes a member out, or withdraws an invitation, and revokes the secrets that it issued. Anyone but the owner may leave. */
    remove(account: Account, id: string, memberId: string): Promise<OrganizationMember> {
      return change(account, id, ["owner", "admin", "member"], async ({ transaction, member: actor, at, note }) => {
        const member = await requireMember(transaction, id, memberId);
        const isLeaving = member.id === actor.id;
        if (!isLeaving) assertRole(actor, ["owner", "admin"]);
        if (member.role === "owner") throw ownerStays();
        const { userId } = member;
        if (userId !== null) await revokeOrganizationSecrets(transaction, { organizationId: id, userId, at });
        await deleteMember(transaction, member.id);
        await note(isLeaving ? "member.left" : "member.removed", member.email);
        return member;
      });
    },

    change,
  };
}

/** What a change of an organization has at hand. */
export interface ChangeContext extends Membership {
  transaction: Transaction<Tables>;
  at: Date;
  /** Writes a line of the audit log. */
  note(action: AuditAction, target: string): Promise<void>;
}

async function readMembership(
  database: Queryable,
  account: Account,
  id: string,
  roles?: readonly OrganizationRole[],
): Promise<Membership> {
  const membership = await requireMembership(database, account, id);
  if (roles) assertRole(membership.member, roles);
  return membership;
}

async function requireMembership(database: Queryable, account: Account, id: string): Promise<Membership> {
  const isUuid = z.uuid().safeParse(id).success;
  const member = isUuid ? await findMemberOfAccount(database, id, account.userId) : null;
  const organization = member && (await findOrganization(database, id));
  if (member && organization) return { organization, member };
  throw new ServiceError("NOT_FOUND", `No organization ${id.slice(0, 100)}`);
}

async function requireMember(database: Queryable, organizationId: string, id: string): Promise<OrganizationMember> {
  const member = z.uuid().safeParse(id).success ? await findMember(database, organizationId, id) : null;
  if (member) return member;
  throw new ServiceError("NOT_FOUND", `No member ${id.slice(0, 100)} in this organization`);
}

async function insertUnderFreeSlug(
  transaction: Transaction<Tables>,
  account: Account,
  { name, slug }: { name: string; slug?: string },
  createdAt: Date,
): Promise<Organization> {
  const owner = { ownerUserId: account.userId, ownerEmail: account.email };
  if (slug !== undefined) {
    const organization = await insertOrganization(transaction, { name, slug, ...owner, createdAt });
    if (organization) return organization;
    throw slugTaken(slug);
  }
  const base = slugOf(name);
  for (let attempt = 0; attempt < SLUG_ATTEMPTS; attempt++) {
    const derived = attempt === 0 ? base : `${base}-${randomBytes(SLUG_SUFFIX_BYTES).toString("hex")}`;
    const organization = await insertOrganization(transaction, { name, slug: derived, ...owner, createdAt });
    if (organization) return organization;
  }
  throw new Error("no free slug found");
}

function assertSeat(organization: Organization, taken: number, links: BillingLinks): void {
  assertPlanHasOrganizations(organization.plan, links.upgradeUrl);
  const seats = seatsOf(organization.plan);
  if (taken < seats) return;
  const isTopPlan = organization.plan === "enterprise" || organization.plan === "custom";
  throw new ServiceError(
    "PLAN_REQUIRED",
    `All ${seats} seats of the organization are taken, open invitations counted`,
    {
      details: isTopPlan ? {} : { upgrade_url: links.upgradeUrl },
    },
  );
}

function slugTaken(slug: string): ServiceError {
  return new ServiceError("CONFLICT", `The slug "${slug}" is taken. Choose another.`);
}

function ownerStays(): ServiceError {
  return new ServiceError(
    "CONFLICT",
    "The owner stays the owner until the organization is transferred to another member",
  );
}

/** Invitations are random, so a fast hash is enough, as for API secrets. */
function hashInvite(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
