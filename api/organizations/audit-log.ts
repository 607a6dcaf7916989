// Audit log of organizations: events and their actors, written in the transaction of the change.
import type { Transaction } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";

/** Actions that the audit log records. */
export const AUDIT_ACTIONS = [
  "organization.created",
  "organization.updated",
  "organization.transferred",
  "member.invited",
  "member.invite_resent",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.left",
  "api_secret.created",
  "api_secret.revoked",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEvent {
  actorUserId: string;
  action: AuditAction;
  /** An e-mail address, an alias or a name; never a token or a secret. */
  target: string;
  at: Date;
}

/** Adds an event. */
export async function noteEvent(
  transaction: Transaction<Tables>,
  organizationId: string,
  event: AuditEvent,
): Promise<void> {
  await transaction
    .insertInto("organization_events")
    .values({
      organization_id: organizationId,
      actor_user_id: event.actorUserId,
      action: event.action,
      target: event.target,
      created_at: event.at,
    })
    .execute();
}

/** A page of events, newest first, with the actor's e-mail address; `total` counts all. */
export async function listEvents(
  database: Queryable,
  organizationId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ events: (AuditEvent & { id: number; actorEmail: string })[]; total: number }> {
  const ofOrganization = database
    .selectFrom("organization_events")
    .innerJoin("accounts", "accounts.user_id", "organization_events.actor_user_id")
    .where("organization_id", "=", organizationId);
  const rows = await ofOrganization
    .selectAll("organization_events")
    .select("accounts.email")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await ofOrganization
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const events = rows.map((row) => ({
    id: row.id,
    actorUserId: row.actor_user_id,
    actorEmail: row.email,
    action: row.action as AuditAction,
    target: row.target,
    at: row.created_at,
  }));
  return { events, total };
}
