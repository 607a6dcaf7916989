// Deliveries and their attempts in PostgreSQL. Due times are by the database's clock, which the job queue uses too.
import { type Selectable, sql } from "kysely";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { Attempt, Delivery } from "./delivery.ts";

export type NewDelivery = Pick<
  Delivery,
  "id" | "endpointId" | "lane" | "eventType" | "body" | "isTest" | "createdAt"
> & {
  /** False for a test delivery, which no job sends. */
  isDue: boolean;
};

/** Deliveries of one lane are sent one after the other. `subject`: the agent or the session that they are about. */
export function laneOf(endpointId: string, subject: string): string {
  return `${endpointId}:${subject}`;
}

/** Adds a delivery. */
export async function insertDelivery(database: Queryable, delivery: NewDelivery): Promise<void> {
  await database
    .insertInto("webhook_deliveries")
    .values({
      id: delivery.id,
      endpoint_id: delivery.endpointId,
      lane: delivery.lane,
      event_type: delivery.eventType,
      body: delivery.body,
      is_test: delivery.isTest,
      due_at: delivery.isDue ? sql<Date>`now()` : null,
      created_at: delivery.createdAt,
      updated_at: delivery.createdAt,
    })
    .execute();
}

/** The first unsettled delivery of a lane, with the time until it is due; null if there is none. */
export async function findHeadOfLane(
  database: Queryable,
  lane: string,
): Promise<{ delivery: Delivery; dueInMs: number } | null> {
  const row = await database
    .selectFrom("webhook_deliveries")
    .selectAll()
    .select(sql<number>`extract(epoch from due_at - clock_timestamp())::float8 * 1000`.as("due_in_ms"))
    .where("lane", "=", lane)
    .where("due_at", "is not", null)
    .orderBy("number")
    .limit(1)
    .executeTakeFirst();
  return row ? { delivery: toDelivery(row), dueInMs: Math.max(0, row.due_in_ms) } : null;
}

/** A delivery, and whether it is still pending; null if its endpoint was deleted. Its row is locked until the
 *  transaction ends. */
export async function lockDelivery(
  database: Queryable,
  id: string,
): Promise<{ delivery: Delivery; isWaiting: boolean } | null> {
  const row = await database
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return row ? { delivery: toDelivery(row), isWaiting: row.due_at !== null } : null;
}

/** Records an attempt. `retryInMs` null settles the delivery. */
export async function addAttempt(
  database: Queryable,
  deliveryId: string,
  attempt: Attempt,
  result: { isDelivered: boolean; retryInMs: number | null },
): Promise<void> {
  await database
    .insertInto("webhook_attempts")
    .values({
      delivery_id: deliveryId,
      number: attempt.number,
      status_code: attempt.statusCode,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      at: attempt.at,
    })
    .execute();
  const { retryInMs } = result;
  await database
    .updateTable("webhook_deliveries")
    .set({
      attempts: attempt.number,
      status_code: attempt.statusCode,
      is_delivered: result.isDelivered,
      due_at: retryInMs === null ? null : sql<Date>`now() + ${retryInMs}::float8 * interval '1 millisecond'`,
      updated_at: attempt.at,
    })
    .where("id", "=", deliveryId)
    .execute();
}

/** An endpoint's last deliveries with their attempts, newest first. */
export async function listDeliveries(
  database: Queryable,
  endpointId: string,
  { limit, subject }: { limit: number; subject?: string },
): Promise<{ delivery: Delivery; attempts: Attempt[] }[]> {
  let wanted = database.selectFrom("webhook_deliveries").selectAll().where("endpoint_id", "=", endpointId);
  if (subject !== undefined) wanted = wanted.where("lane", "=", laneOf(endpointId, subject));
  const rows = await wanted.orderBy("number", "desc").limit(limit).execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const attempts = await database
    .selectFrom("webhook_attempts")
    .selectAll()
    .where("delivery_id", "in", ids)
    .orderBy("number")
    .execute();
  return rows.map((row) => ({
    delivery: toDelivery(row),
    attempts: attempts.filter(({ delivery_id }) => delivery_id === row.id).map(toAttempt),
  }));
}

/** Lanes with a delivery that has been due for at least `overdueMs`: their job is late or lost. */
export async function listStrandedLanes(database: Queryable, overdueMs: number, limit: number): Promise<string[]> {
  const rows = await database
    .selectFrom("webhook_deliveries")
    .select("lane")
    .distinct()
    .where("due_at", "<", sql<Date>`now() - ${overdueMs}::float8 * interval '1 millisecond'`)
    .limit(limit)
    .execute();
  return rows.map(({ lane }) => lane);
}

/** Deletes settled deliveries created before `before`. */
export async function deleteOldDeliveries(database: Queryable, before: Date): Promise<void> {
  await database
    .deleteFrom("webhook_deliveries")
    .where("created_at", "<", before)
    .where("due_at", "is", null)
    .execute();
}

function toDelivery(row: Selectable<Tables["webhook_deliveries"]>): Delivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    lane: row.lane,
    eventType: row.event_type,
    body: row.body,
    isTest: row.is_test,
    attempts: row.attempts,
    statusCode: row.status_code,
    isDelivered: row.is_delivered,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toAttempt(row: Selectable<Tables["webhook_attempts"]>): Attempt {
  return {
    number: row.number,
    statusCode: row.status_code,
    error: row.error,
    durationMs: row.duration_ms,
    at: row.at,
  };
}
