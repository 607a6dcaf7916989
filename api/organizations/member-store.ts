// Members and invitations of organizations in PostgreSQL. These functions check nothing.
import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { AssignableRole, OrganizationMember } from "./organization.ts";

/** Members and open invitations, oldest first. */
export async function listMembers(database: Queryable, organizationId: string): Promise<OrganizationMember[]> {
  const rows = await database
    .selectFrom("organization_members")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toMember);
}

/** A member or invitation by its own id, or null. */
export async function findMember(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<OrganizationMember | null> {
  const row = await database
    .selectFrom("organization_members")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ? toMember(row) : null;
}

/** The membership of an account, or null. */
export async function findMemberOfAccount(
  database: Queryable,
  organizationId: string,
  userId: string,
): Promise<OrganizationMember | null> {
  const row = await database
    .selectFrom("organization_members")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row ? toMember(row) : null;
}

/** Whether an account is a member of an organization that exists. The id may be any text. */
export async function isMemberOf(database: Queryable, organizationId: string, userId: string): Promise<boolean> {
  if (!z.uuid().safeParse(organizationId).success) return false;
  const row = await database
    .selectFrom("organization_members as member")
    .innerJoin("organizations as organization", "organization.id", "member.organization_id")
    .select("member.id")
    .where("member.organization_id", "=", organizationId)
    .where("member.user_id", "=", userId)
    .where("organization.deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

export interface Invitation {
  organizationId: string;
  email: string;
  role: AssignableRole;
  tokenSha256: Buffer;
  expiresAt: Date;
  createdAt: Date;
}

/** Adds an invitation. Returns null if the address is a member or invited already. */
export async function insertInvitation(
  database: Queryable,
  invitation: Invitation,
): Promise<OrganizationMember | null> {
  const row = await database
    .insertInto("organization_members")
    .values({
      organization_id: invitation.organizationId,
      email: invitation.email,
      role: invitation.role,
      invite_sha256: invitation.tokenSha256,
      invite_expires_at: invitation.expiresAt,
      created_at: invitation.createdAt,
    })
    .onConflict((conflict) => conflict.expression(sql`organization_id, lower(email)`).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toMember(row) : null;
}

/** Gives an open invitation another token. */
export async function renewInvitation(
  database: Queryable,
  id: string,
  invitation: Pick<Invitation, "tokenSha256" | "expiresAt">,
): Promise<void> {
  await database
    .updateTable("organization_members")
    .set({ invite_sha256: invitation.tokenSha256, invite_expires_at: invitation.expiresAt })
    .where("id", "=", id)
    .where("user_id", "is", null)
    .execute();
}

/** The open invitation with a token, or null. Its row is locked until the transaction ends. */
export async function findInvitation(
  database: Queryable,
  tokenSha256: Buffer,
): Promise<{ organizationId: string; member: OrganizationMember } | null> {
  const row = await database
    .selectFrom("organization_members")
    .selectAll()
    .where("invite_sha256", "=", tokenSha256)
    .forUpdate()
    .executeTakeFirst();
  return row ? { organizationId: row.organization_id, member: toMember(row) } : null;
}

/** Turns an invitation into a membership of the account. The addresses may differ in case. */
export async function joinMember(
  database: Queryable,
  id: string,
  { userId, email }: { userId: string; email: string },
  at: Date,
): Promise<void> {
  await database
    .updateTable("organization_members")
    .set({ user_id: userId, email, joined_at: at, invite_sha256: null, invite_expires_at: null })
    .where("id", "=", id)
    .execute();
}

export async function setRole(database: Queryable, id: string, role: OrganizationMember["role"]): Promise<void> {
  await database.updateTable("organization_members").set({ role }).where("id", "=", id).execute();
}

export async function deleteMember(database: Queryable, id: string): Promise<void> {
  await database.deleteFrom("organization_members").where("id", "=", id).execute();
}

/** Credits that each member's account has spent since it joined, less refunds, in the order of joining. */
export async function sumUsage(
  database: Queryable,
  organizationId: string,
): Promise<{ userId: string; email: string; credits: number }[]> {
  const { rows } = await sql<{ user_id: string; email: string; credits: number }>`
    select member.user_id, accounts.email, coalesce(sum(case
      when movement.to_account = 'income' then movement.amount_credits
      when movement.from_account = 'refunds' then -movement.amount_credits
    end), 0)::int8 as credits
    from organization_members member
    join accounts on accounts.user_id = member.user_id
    left join credit_movements movement
      on movement.user_id = member.user_id and movement.created_at >= member.joined_at
    where member.organization_id = ${organizationId}
    group by member.user_id, accounts.email, member.joined_at
    order by member.joined_at, member.user_id
  `.execute(database);
  return rows.map((row) => ({ userId: row.user_id, email: row.email, credits: row.credits }));
}

function toMember(row: Selectable<Tables["organization_members"]>): OrganizationMember {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    userId: row.user_id,
    createdAt: row.created_at,
    joinedAt: row.joined_at,
    inviteExpiresAt: row.invite_expires_at,
  };
}
