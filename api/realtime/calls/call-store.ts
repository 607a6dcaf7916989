// Realtime calls that are not settled yet, in PostgreSQL. Times of them are the database's: api processes may have
// clocks of their own.
import { sql, type Transaction } from "kysely";
import type { OpenCall } from "../../../shared/realtime-api.ts";
import type { Plan } from "../../accounts/plans/plans.ts";
import { SPENDABLE_CREDITS } from "../../accounts/secrets/secret-store.ts";
import type { Database, Queryable, Tables } from "../../kernel/database/database.ts";
import type { UnsettledCall } from "./call-budget.ts";
import type { CallKindName } from "./call-kinds.ts";
import "../realtime-tables.ts";

export interface RealtimeCall extends UnsettledCall {
  id: string;
  userId: string;
}

export interface NewCall {
  id: string;
  userId: string;
  secretId: string;
  relayId: string;
  model: string;
  kind: CallKindName;
  transport: OpenCall["transport"];
}

export async function insertCall(database: Queryable, call: NewCall): Promise<void> {
  await database
    .insertInto("realtime_calls")
    .values({
      id: call.id,
      user_id: call.userId,
      secret_id: call.secretId,
      relay_id: call.relayId,
      model: call.model,
      kind: call.kind,
      transport: call.transport,
      started_at: sql<Date>`now()`,
      last_seen_at: sql<Date>`now()`,
    })
    .execute();
}

/** A call of an account, and what it takes up. */
export interface HeldCall extends UnsettledCall {
  model: string;
  relayId: string;
  transport: OpenCall["transport"];
}

/** All calls of an account that are not settled yet. */
export async function listCallsOf(database: Queryable, userId: string): Promise<HeldCall[]> {
  const rows = await database
    .selectFrom("realtime_calls")
    .select(["model", "relay_id", "transport", "kind", "served_deciseconds", "is_ended"])
    .where("user_id", "=", userId)
    .execute();
  return rows.map((row) => ({
    model: row.model,
    relayId: row.relay_id,
    transport: row.transport,
    kind: row.kind,
    servedDeciseconds: row.served_deciseconds,
    isEnded: row.is_ended,
  }));
}

/** Which calls are to be settled: those that have ended, or those without a report for this time. */
export type Due = "ended" | { silentMs: number };

export interface DueCall extends RealtimeCall {
  secretId: string;
}

/** One due call, locked until the transaction ends; null if there is none. Calls that another process settles or
 *  reports just now are passed over. */
export async function lockDueCall(transaction: Transaction<Tables>, due: Due): Promise<DueCall | null> {
  const row = await transaction
    .selectFrom("realtime_calls")
    .select(["id", "user_id", "secret_id", "kind", "served_deciseconds", "is_ended"])
    .where(
      due === "ended"
        ? sql<boolean>`is_ended`
        : sql<boolean>`last_seen_at < now() - make_interval(secs => ${due.silentMs / 1000})`,
    )
    .orderBy("last_seen_at")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row) return null;
  const { id, user_id: userId, kind, served_deciseconds: servedDeciseconds, is_ended: isEnded } = row;
  return { id, userId, secretId: row.secret_id, kind, servedDeciseconds, isEnded };
}

export async function deleteCall(transaction: Transaction<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom("realtime_calls").where("id", "=", id).execute();
}

/** Served time of a call, as its relay reports it. */
export interface ToldCall {
  id: string;
  deciseconds: number;
  isEnded: boolean;
}

/** Stores what a relay reports about its calls, in one statement. Time only grows, so a repeated or late report changes
 *  nothing. Returns the calls that exist. */
export async function noteCalls(
  transaction: Transaction<Tables>,
  relayId: string,
  told: readonly ToldCall[],
): Promise<RealtimeCall[]> {
  if (told.length === 0) return [];
  const ids = told.map(({ id }) => id);
  const deciseconds = told.map((call) => call.deciseconds);
  const areEnded = told.map(({ isEnded }) => isEnded);
  const { rows } = await sql<{ id: string; user_id: string; kind: CallKindName; served: number; is_ended: boolean }>`
    with before as (
      select call.id, told.deciseconds, told.is_ended
      from realtime_calls call
      join unnest(${ids}::text[], ${deciseconds}::int[], ${areEnded}::bool[]) as told (id, deciseconds, is_ended)
        using (id)
      where call.relay_id = ${relayId}
      order by call.id
      for update of call
    )
    update realtime_calls call
    set served_deciseconds = greatest(call.served_deciseconds, before.deciseconds),
      is_ended = call.is_ended or before.is_ended,
      last_seen_at = now()
    from before
    where call.id = before.id
    returning call.id, call.user_id, call.kind, call.served_deciseconds as served, call.is_ended
  `.execute(transaction);
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    kind: row.kind,
    servedDeciseconds: row.served,
    isEnded: row.is_ended,
  }));
}

/** What decides whether a call goes on. */
export interface CallStanding extends RealtimeCall {
  isHungUp: boolean;
  isRevoked: boolean;
  isSuspended: boolean;
  plan: Plan;
  /** Balance, less what has accrued. */
  spendableCredits: number;
}

/** All calls, not settled yet, of the accounts that these calls belong to. */
export async function readStandings(database: Database, ids: readonly string[]): Promise<CallStanding[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    user_id: string;
    kind: CallKindName;
    served_deciseconds: number;
    is_ended: boolean;
    is_hung_up: boolean;
    is_revoked: boolean;
    is_suspended: boolean;
    plan: Plan;
    spendable_credits: number;
  }>`
    select call.id, call.user_id, call.kind, call.served_deciseconds, call.is_ended, call.is_hung_up,
      secret.revoked_at is not null as is_revoked,
      account.status = 'suspended' or account.is_runtime_suspended as is_suspended, account.plan,
      ${sql.raw(SPENDABLE_CREDITS)} as spendable_credits
    from realtime_calls call
    join api_secrets secret on secret.id = call.secret_id
    join accounts account on account.user_id = call.user_id
    join credit_balances balance on balance.user_id = call.user_id
    where call.user_id in (select user_id from realtime_calls where id = any(${ids as string[]}::text[]))
  `.execute(database);
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    kind: row.kind,
    servedDeciseconds: row.served_deciseconds,
    isEnded: row.is_ended,
    isHungUp: row.is_hung_up,
    isRevoked: row.is_revoked,
    isSuspended: row.is_suspended,
    plan: row.plan,
    spendableCredits: Number(row.spendable_credits),
  }));
}

/** Marks a call as ended by its caller; its relay ends it with the answer to its next report. */
export async function hangUpCall(database: Queryable, id: string): Promise<void> {
  await database.updateTable("realtime_calls").set({ is_hung_up: true }).where("id", "=", id).execute();
}
