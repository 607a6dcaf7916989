// The rules of an organization's members and invitations. Each change is one transaction with an entry in the audit
// log.
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Database, Queryable } from "../kernel/database/database.ts";
import type { Events } from "../kernel/events/events.ts";
import { noteEvent } from "./audit-log.ts";
import {
  deleteMember,
  findInvitation,
  findMember,
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
  seatsOf,
} from "./organization.ts";
import type { Membership, OrganizationAccess } from "./organization-access.ts";
import { revokeOrganizationSecrets } from "./organization-secrets.ts";
import { findOrganization } from "./organization-store.ts";
import "./organization-events.ts";

/** Source: the contract. */
const INVITE_LIFETIME_MS = 7 * 24 * 3_600_000;
const INVITE_RANDOM_BYTES = 24;

export interface MembersOptions {
  database: Database;
  events: Events;
  access: OrganizationAccess;
  links: BillingLinks;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export interface Invited {
  member: OrganizationMember;
  /** Returned by this call only. Valid for seven days and one account. */
  token: string;
}

export type Members = ReturnType<typeof createMembers>;

/** Every function except `accept` throws as `OrganizationAccess` does for accounts without access. */
export function createMembers({ database, events, access, links, now }: MembersOptions) {
  return {
    /** Members and open invitations. */
    async list(account: Account, id: string): Promise<OrganizationMember[]> {
      await access.read(account, id);
      return listMembers(database, id);
    },

    /** Invites an address. Throws CONFLICT if it is a member or invited, PLAN_REQUIRED when no seat is left. */
    invite(account: Account, id: string, request: { email: string; role: AssignableRole }): Promise<Invited> {
      return access.change(account, id, ["owner", "admin"], async ({ transaction, organization, at, note }) => {
        assertSeat(organization, (await listMembers(transaction, id)).length, links);
        const token = randomBytes(INVITE_RANDOM_BYTES).toString("base64url");
        const member = await insertInvitation(transaction, {
          organizationId: id,
          ...request,
          tokenSha256: hashInvite(token),
          expiresAt: new Date(at.getTime() + INVITE_LIFETIME_MS),
          createdAt: at,
        });
        if (!member) throw new ServiceError("CONFLICT", `${request.email} is already a member or invited`);
        await note("member.invited", member.email);
        return { member, token };
      });
    },

    /** Gives an open invitation a new token, valid for seven days. The old token becomes invalid. */
    resendInvite(account: Account, id: string, memberId: string): Promise<Invited> {
      return access.change(account, id, ["owner", "admin"], async ({ transaction, at, note }) => {
        const member = await requireMember(transaction, id, memberId);
        if (member.userId !== null) throw new ServiceError("CONFLICT", `${member.email} has already joined`);
        const token = randomBytes(INVITE_RANDOM_BYTES).toString("base64url");
        const expiresAt = new Date(at.getTime() + INVITE_LIFETIME_MS);
        await renewInvitation(transaction, member.id, { tokenSha256: hashInvite(token), expiresAt });
        await note("member.invite_resent", member.email);
        return { member: { ...member, inviteExpiresAt: expiresAt }, token };
      });
    },

    /** Joins an organization. Throws NOT_FOUND for an invalid token, FORBIDDEN if the invitation is for another
     *  address, CONFLICT if it has expired. */
    accept(account: Account, token: string): Promise<Membership> {
      return database.transaction().execute(async (transaction) => {
        const found = await findInvitation(transaction, hashInvite(token));
        const organization = found && (await findOrganization(transaction, found.organizationId));
        if (!found || !organization) {
          throw new ServiceError(
            "NOT_FOUND",
            "This invitation is not valid. It may have been used, replaced or withdrawn.",
          );
        }
        const { member } = found;
        if (member.email.toLowerCase() !== account.email.toLowerCase()) {
          throw new ServiceError(
            "FORBIDDEN",
            "This invitation was sent to another e-mail address. Accept it with the account of that address.",
          );
        }
        const at = new Date(now());
        if (member.inviteExpiresAt && member.inviteExpiresAt <= at) {
          throw new ServiceError("CONFLICT", "This invitation has expired. Ask the organization to send it again.");
        }
        await joinMember(transaction, member.id, account, at);
        const { userId, email } = account;
        const event = { actorUserId: userId, action: "member.joined", target: email, at } as const;
        await noteEvent(transaction, organization.id, event);
        return { organization, member: { ...member, userId, email, joinedAt: at, inviteExpiresAt: null } };
      });
    },

    /** Changes a member's role. The owner's role changes only by a transfer. */
    setRole(account: Account, id: string, memberId: string, role: AssignableRole): Promise<OrganizationMember> {
      return access.change(account, id, ["owner", "admin"], async ({ transaction, note }) => {
        const member = await requireMember(transaction, id, memberId);
        if (member.role === "owner") throw ownerStays();
        if (member.role !== role) {
          await setRole(transaction, member.id, role);
          await note("member.role_changed", `${member.email}: ${role}`);
        }
        return { ...member, role };
      });
    },

    /** Removes a member and revokes its secrets of the organization, or withdraws an invitation. Any member but the
     *  owner may leave. */
    remove(account: Account, id: string, memberId: string): Promise<OrganizationMember> {
      return access.change(
        account,
        id,
        ["owner", "admin", "member"],
        async ({ transaction, member: actor, at, note }) => {
          const member = await requireMember(transaction, id, memberId);
          const isLeaving = member.id === actor.id;
          if (!isLeaving) assertRole(actor, ["owner", "admin"]);
          if (member.role === "owner") throw ownerStays();
          const { userId } = member;
          if (userId !== null) await revokeOrganizationSecrets(transaction, { organizationId: id, userId, at });
          await deleteMember(transaction, member.id);
          if (userId !== null) {
            await events.publish(transaction, "organization.member_removed", { organizationId: id, userId, at });
          }
          await note(isLeaving ? "member.left" : "member.removed", member.email);
          return member;
        },
      );
    },
  };
}

async function requireMember(database: Queryable, organizationId: string, id: string): Promise<OrganizationMember> {
  const member = z.uuid().safeParse(id).success ? await findMember(database, organizationId, id) : null;
  if (member) return member;
  throw new ServiceError("NOT_FOUND", `No member ${id.slice(0, 100)} in this organization`);
}

function assertSeat(organization: Organization, taken: number, links: BillingLinks): void {
  assertPlanHasOrganizations(organization.plan, links.upgradeUrl);
  const seats = seatsOf(organization.plan);
  if (taken < seats) return;
  const isTopPlan = organization.plan === "enterprise" || organization.plan === "custom";
  throw new ServiceError(
    "PLAN_REQUIRED",
    `All ${seats} seats of the organization are taken; open invitations count. Remove a member or an invitation first.`,
    {
      details: isTopPlan ? {} : { upgrade_url: links.upgradeUrl },
    },
  );
}

function ownerStays(): ServiceError {
  return new ServiceError(
    "CONFLICT",
    "The owner cannot be changed or removed. Transfer the organization to another member first.",
  );
}

/** Invitations are random, so a fast hash is enough, as for API secrets. */
function hashInvite(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
