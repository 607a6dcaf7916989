// Organizations in PostgreSQL. These functions check nothing.
import type { Queryable } from "../kernel/database/database.ts";
import type { Organization, OrganizationRole } from "./organization.ts";

/** Adds an organization with its owner. Returns null if the slug is taken. */
export async function insertOrganization(
  database: Queryable,
  organization: { name: string; slug: string; ownerUserId: string; ownerEmail: string; createdAt: Date },
): Promise<Organization | null> {
  const { name, slug, ownerUserId, ownerEmail, createdAt } = organization;
  const row = await database
    .insertInto("organizations")
    .values({ name, slug, created_at: createdAt })
    .onConflict((conflict) => conflict.column("slug").where("deleted_at", "is", null).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!row) return null;
  await database
    .insertInto("organization_members")
    .values({
      organization_id: row.id,
      email: ownerEmail,
      role: "owner",
      user_id: ownerUserId,
      created_at: createdAt,
      joined_at: createdAt,
    })
    .execute();
  return findOrganization(database, row.id);
}

/** The organization of an id, or null if it does not exist or was deleted. */
export async function findOrganization(database: Queryable, id: string): Promise<Organization | null> {
  const row = await organizations(database).where("organizations.id", "=", id).executeTakeFirst();
  return row ? toOrganization(row) : null;
}

/** Locks an organization until the transaction ends. Changes of its members wait for it. */
export async function lockOrganization(database: Queryable, id: string): Promise<void> {
  await database.selectFrom("organizations").select("id").where("id", "=", id).forUpdate().execute();
}

/** The organizations of an account, with its role in each, oldest first. */
export async function listOrganizationsOf(
  database: Queryable,
  userId: string,
): Promise<{ organization: Organization; role: OrganizationRole }[]> {
  const rows = await organizations(database)
    .innerJoin("organization_members as own", "own.organization_id", "organizations.id")
    .select("own.role")
    .where("own.user_id", "=", userId)
    .orderBy("organizations.created_at")
    .orderBy("organizations.id")
    .execute();
  return rows.map((row) => ({ organization: toOrganization(row), role: row.role }));
}

/** Number of organizations that an account owns. */
export async function countOwned(database: Queryable, userId: string): Promise<number> {
  const { count } = await database
    .selectFrom("organization_members")
    .innerJoin("organizations", "organizations.id", "organization_members.organization_id")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("organizations.deleted_at", "is", null)
    .where("organization_members.user_id", "=", userId)
    .where("organization_members.role", "=", "owner")
    .executeTakeFirstOrThrow();
  return count;
}

/** Renames an organization. Rejects with the database's error if the slug is taken. */
export async function updateOrganization(
  database: Queryable,
  id: string,
  patch: { name?: string; slug?: string },
): Promise<void> {
  await database.updateTable("organizations").set(patch).where("id", "=", id).execute();
}

/** Deletes an organization with its memberships and frees its slug. The row stays for rows that refer to it. */
export async function deleteOrganization(database: Queryable, id: string, at: Date): Promise<void> {
  await database.updateTable("organizations").set({ deleted_at: at }).where("id", "=", id).execute();
  await database.deleteFrom("organization_members").where("organization_id", "=", id).execute();
}

function organizations(database: Queryable) {
  return database
    .selectFrom("organizations")
    .innerJoin("organization_members as owner", "owner.organization_id", "organizations.id")
    .innerJoin("accounts", "accounts.user_id", "owner.user_id")
    .select([
      "organizations.id",
      "organizations.name",
      "organizations.slug",
      "organizations.created_at",
      "accounts.user_id as owner_user_id",
      "accounts.plan",
    ])
    .where("owner.role", "=", "owner")
    .where("organizations.deleted_at", "is", null);
}

interface OrganizationRow {
  id: string;
  name: string;
  slug: string;
  owner_user_id: string;
  plan: Organization["plan"];
  created_at: Date;
}

function toOrganization(row: OrganizationRow): Organization {
  const { id, name, slug, plan } = row;
  return { id, name, slug, ownerUserId: row.owner_user_id, plan, createdAt: row.created_at };
}
