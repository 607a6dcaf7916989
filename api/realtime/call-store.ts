// Running realtime calls in PostgreSQL.
import { sql, type Transaction } from "kysely";
import type { Account } from "../accounts/account.ts";
import { SPENDABLE_CREDITS } from "../accounts/secrets/secret-store.ts";
import type { Database, Queryable, Tables } from "../kernel/database/database.ts";
import "./realtime-tables.ts";

export interface RealtimeCall {
  id: string;
  userId: string;
  /** Served so far, in tenths of a second. */
  servedDeciseconds: number;
}

export interface NewCall {
  id: string;
  userId: string;
  secretId: string;
  relayId: string;
  model: string;
  at: Date;
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
      started_at: call.at,
      last_seen_at: call.at,
    })
    .execute();
}

/** A call with its row locked until the transaction ends, or null. */
export async function lockCall(transaction: Transaction<Tables>, id: string): Promise<RealtimeCall | null> {
  const row = await transaction
    .selectFrom("realtime_calls")
    .select(["id", "user_id", "served_deciseconds"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return row ? { id: row.id, userId: row.user_id, servedDeciseconds: row.served_deciseconds } : null;
}

export async function deleteCall(transaction: Transaction<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom("realtime_calls").where("id", "=", id).execute();
}

/** Served time of a call, as its relay reports it. */
export interface ToldCall {
  id: string;
  deciseconds: number;
}

export interface NotedCall extends RealtimeCall {
  /** Before this report. */
  earlierDeciseconds: number;
}

/** Stores what a relay reports about its running calls, in one statement. Time only grows, so a repeated or late report
 *  changes nothing. Returns the calls that exist. */
export async function noteCalls(
  database: Database,
  relayId: string,
  told: readonly ToldCall[],
  at: Date,
): Promise<NotedCall[]> {
  if (told.length === 0) return [];
  const ids = told.map(({ id }) => id);
  const deciseconds = told.map((call) => call.deciseconds);
  const { rows } = await sql<{ id: string; user_id: string; served: number; earlier: number }>`
    with before as (
      select call.id, call.served_deciseconds as earlier, told.deciseconds
      from realtime_calls call
      join unnest(${ids}::text[], ${deciseconds}::int[]) as told (id, deciseconds) using (id)
      where call.relay_id = ${relayId}
      order by call.id
      for update of call
    )
    update realtime_calls call
    set served_deciseconds = greatest(before.earlier, before.deciseconds), last_seen_at = ${at}
    from before
    where call.id = before.id
    returning call.id, call.user_id, call.served_deciseconds as served, before.earlier
  `.execute(database);
  return rows.map(({ id, user_id: userId, served, earlier }) => ({
    id,
    userId,
    servedDeciseconds: served,
    earlierDeciseconds: earlier,
  }));
}

/** What decides whether a running call goes on. */
export interface CallStanding {
  id: string;
  isHungUp: boolean;
  isRevoked: boolean;
  isSuspended: boolean;
  plan: Account["plan"];
  /** Balance, less what has accrued. */
  spendableCredits: number;
}

export async function readStandings(database: Database, ids: readonly string[]): Promise<CallStanding[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    is_hung_up: boolean;
    is_revoked: boolean;
    is_suspended: boolean;
    plan: Account["plan"];
    spendable_credits: number;
  }>`
    select call.id, call.is_hung_up, secret.revoked_at is not null as is_revoked,
      account.status = 'suspended' or account.is_runtime_suspended as is_suspended, account.plan,
      ${sql.raw(SPENDABLE_CREDITS)} as spendable_credits
    from realtime_calls call
    join api_secrets secret on secret.id = call.secret_id
    join accounts account on account.user_id = call.user_id
    join credit_balances balance on balance.user_id = call.user_id
    where call.id = any(${ids as string[]}::text[])
  `.execute(database);
  return rows.map((row) => ({
    id: row.id,
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

/** Ids of calls that no relay has reported since, at most `limit`. */
export async function listSilentCalls(database: Queryable, since: Date, limit: number): Promise<string[]> {
  const rows = await database
    .selectFrom("realtime_calls")
    .select("id")
    .where("last_seen_at", "<", since)
    .orderBy("last_seen_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
