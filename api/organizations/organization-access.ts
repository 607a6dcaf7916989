// Access to organizations: checks membership and role, and runs changes under the organization's lock with entries in
// its audit log. For an account that is not a member the organization does not exist.
import type { Transaction } from "kysely";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import type { Database, Queryable, Tables } from "../kernel/database/database.ts";
import { type AuditAction, noteEvent } from "./audit-log.ts";
import { findMemberOfAccount } from "./member-store.ts";
import { assertRole, type Organization, type OrganizationMember, type OrganizationRole } from "./organization.ts";
import { findOrganization, lockOrganization } from "./organization-store.ts";

/** An organization as one of its members sees it. */
export interface Membership {
  organization: Organization;
  member: OrganizationMember;
}

/** What the function that makes a change gets. */
export interface ChangeContext extends Membership {
  transaction: Transaction<Tables>;
  at: Date;
  /** Adds an entry to the audit log. */
  note(action: AuditAction, target: string): Promise<void>;
}

export type OrganizationAccess = ReturnType<typeof createOrganizationAccess>;

/** Both functions throw NOT_FOUND for an account that is not a member, FORBIDDEN for a role that is not allowed. `now`:
 *  milliseconds since the epoch. */
export function createOrganizationAccess({ database, now }: { database: Database; now: () => number }) {
  return {
    /** Checks that the account may read: as any member, or as one of `roles`. */
    async read(account: Account, id: string, roles?: readonly OrganizationRole[]): Promise<Membership> {
      const membership = await requireMembership(database, account, id);
      if (roles) assertRole(membership.member, roles);
      return membership;
    },

    /** Runs a change by one of the roles, with the organization's row locked. */
    change<T>(
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
    },
  };
}

async function requireMembership(database: Queryable, account: Account, id: string): Promise<Membership> {
  const isUuid = z.uuid().safeParse(id).success;
  const member = isUuid ? await findMemberOfAccount(database, id, account.userId) : null;
  const organization = member && (await findOrganization(database, id));
  if (member && organization) return { organization, member };
  throw new ServiceError("NOT_FOUND", `No organization ${id.slice(0, 100)}`);
}
