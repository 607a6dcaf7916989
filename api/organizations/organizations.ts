// The rules of organizations. Each change is one transaction with an entry in the audit log.
import { randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import pg from "pg";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Database, Tables } from "../kernel/database/database.ts";
import type { Events } from "../kernel/events/events.ts";
import { noteEvent } from "./audit-log.ts";
import { findMemberOfAccount, setRole } from "./member-store.ts";
import { assertPlanHasOrganizations, type Organization, slugOf } from "./organization.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { revokeOrganizationSecrets } from "./organization-secrets.ts";
import { countOwned, deleteOrganization, insertOrganization, updateOrganization } from "./organization-store.ts";
import "./organization-events.ts";

/** Most organizations that one account may own, on any plan. */
const MAX_OWNED = 20;
const SLUG_INDEX = "organizations_slug";
const SLUG_ATTEMPTS = 5;
const SLUG_SUFFIX_BYTES = 3;

export interface OrganizationsOptions {
  database: Database;
  events: Events;
  access: OrganizationAccess;
  links: BillingLinks;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export type Organizations = ReturnType<typeof createOrganizations>;

/** Every function throws as `OrganizationAccess` does for accounts without access. */
export function createOrganizations({ database, events, access, links, now }: OrganizationsOptions) {
  return {
    /** Creates an organization that the account owns. Throws PLAN_REQUIRED below Pro, CONFLICT if the requested slug is
     *  taken. */
    create(account: Account, request: { name: string; slug?: string }): Promise<Organization> {
      assertPlanHasOrganizations(account.plan, links.upgradeUrl);
      return database.transaction().execute(async (transaction) => {
        // The account's row is locked, so that two creations cannot both be the last one allowed.
        await findAccount(transaction, account.userId, { lock: true });
        if ((await countOwned(transaction, account.userId)) >= MAX_OWNED) {
          throw new ServiceError("CONFLICT", `An account may own ${MAX_OWNED} organizations. Delete one first.`);
        }
        const organization = await insertUnderFreeSlug(transaction, account, request, new Date(now()));
        const event = { actorUserId: account.userId, target: organization.name, at: organization.createdAt };
        await noteEvent(transaction, organization.id, { ...event, action: "organization.created" });
        return organization;
      });
    },

    /** Renames it. Throws CONFLICT if the slug is taken. */
    update(account: Account, id: string, patch: { name?: string; slug?: string }): Promise<Organization> {
      const work = access.change(account, id, ["owner", "admin"], async ({ transaction, organization, note }) => {
        await updateOrganization(transaction, id, patch);
        await note("organization.updated", Object.keys(patch).sort().join(", "));
        return { ...organization, ...patch };
      });
      return work.catch((error: unknown) => {
        if (error instanceof pg.DatabaseError && error.constraint === SLUG_INDEX) throw slugTaken(patch.slug ?? "");
        throw error;
      });
    },

    /** Deletes it with its invitations and secrets. Members keep their own agents and secrets. */
    delete(account: Account, id: string): Promise<void> {
      return access.change(account, id, ["owner"], async ({ transaction, at }) => {
        await revokeOrganizationSecrets(transaction, { organizationId: id, at });
        await deleteOrganization(transaction, id, at);
        await events.publish(transaction, "organization.deleted", { organizationId: id, at });
      });
    },

    /** Makes another member the owner; the former owner becomes an admin. Throws PLAN_REQUIRED if the new owner's plan
     *  has no organizations. */
    transfer(account: Account, id: string, newOwnerUserId: string): Promise<Organization> {
      return access.change(account, id, ["owner"], async ({ transaction, organization, member, note }) => {
        const next = await findMemberOfAccount(transaction, id, newOwnerUserId);
        if (!next) throw new ServiceError("NOT_FOUND", "The new owner is not a member of the organization");
        if (next.id === member.id) return organization;
        const owner = await findAccount(transaction, newOwnerUserId);
        if (!owner) throw new ServiceError("NOT_FOUND", "The new owner's account no longer exists");
        assertPlanHasOrganizations(owner.plan, links.upgradeUrl);
        await setRole(transaction, member.id, "admin");
        await setRole(transaction, next.id, "owner");
        await note("organization.transferred", next.email);
        return { ...organization, ownerUserId: newOwnerUserId, plan: owner.plan };
      });
    },
  };
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

function slugTaken(slug: string): ServiceError {
  return new ServiceError("CONFLICT", `The slug "${slug}" is taken. Choose another.`);
}
