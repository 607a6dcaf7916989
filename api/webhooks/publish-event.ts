// Queues an event for an account's endpoints, in the transaction that makes the event true: the event is delivered if
// and only if that transaction commits.
import { randomUUID } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Tables } from "../kernel/database/database.ts";
import { publicIdOf } from "./delivery/delivery.ts";
import { wakeLane } from "./delivery/delivery-queue.ts";
import { insertDelivery, laneOf } from "./delivery/delivery-store.ts";
import type { RegisteredEvent, SessionEventName } from "./webhook-endpoint.ts";

export interface AccountEvent {
  userId: string;
  name: RegisteredEvent;
  /** Events of one agent reach an endpoint in order. */
  agentCode: string;
  /** Further fields of the body's `data`, which always has the agent's code as `agent_id` and `code`. */
  data?: Record<string, unknown>;
  at: Date;
}

interface SessionEventOf<Name extends SessionEventName, Data> {
  userId: string;
  name: Name;
  /** Empty for an avatar session without a stored agent. */
  agentCode: string;
  /** Events of one session reach the endpoint in order. */
  data: Data & { session_id: string };
  at: Date;
}

/** Events in a room: an avatar joined it, or a message of its conversation is complete. */
export type RoomEvent =
  | SessionEventOf<"room.join", { room_name: string; participant_count: number }>
  | SessionEventOf<"chat.push", { role: "user" | "assistant"; message: string; timestamp: number }>;

/** Queues an event for every registered endpoint of the account that subscribes to it. */
export async function publishAccountEvent(transaction: Transaction<Tables>, event: AccountEvent): Promise<void> {
  const { userId, name, agentCode, at } = event;
  const endpoints = await transaction
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("user_id", "=", userId)
    .where("family", "=", "registered")
    .where("is_active", "=", true)
    .where((field) => field.or([field("events", "=", sql<string[]>`'{}'`), sql<boolean>`${name} = any(events)`]))
    .orderBy("id")
    .execute();
  for (const { id: endpointId } of endpoints) {
    const id = randomUUID();
    const data = { agent_id: agentCode, code: agentCode, ...event.data };
    const body = accountEventBody(id, name, data, at);
    await queueDelivery(transaction, { id, endpointId, subject: agentCode, name, body, at });
  }
}

/** Queues an event for the account's session endpoint, if it has one that subscribes to it. */
export async function publishRoomEvent(transaction: Transaction<Tables>, event: RoomEvent): Promise<void> {
  const { userId, name, agentCode, data, at } = event;
  const endpoint = await transaction
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("user_id", "=", userId)
    .where("family", "=", "session")
    .where("is_active", "=", true)
    .where(sql<boolean>`${name} = any(events)`)
    .executeTakeFirst();
  if (!endpoint) return;
  const body = roomEventBody(agentCode, name, data, at);
  const delivery = { id: randomUUID(), endpointId: endpoint.id, subject: data.session_id, name, body, at };
  await queueDelivery(transaction, delivery);
}

/** Body of a delivery to a registered endpoint. */
export function accountEventBody(deliveryId: string, name: string, data: Record<string, unknown>, at: Date): string {
  const created = Math.floor(at.getTime() / 1000);
  return JSON.stringify({ id: publicIdOf(deliveryId), event: name, created, data });
}

/** Body of a delivery to the session endpoint. */
export function roomEventBody(agentCode: string, name: string, data: object, at: Date): string {
  return JSON.stringify({ agent_id: agentCode, event_type: name, data, timestamp: at.getTime() / 1000 });
}

async function queueDelivery(
  transaction: Transaction<Tables>,
  delivery: { id: string; endpointId: string; subject: string; name: string; body: string; at: Date },
): Promise<void> {
  const { id, endpointId, subject, name: eventType, body, at: createdAt } = delivery;
  const lane = laneOf(endpointId, subject);
  await insertDelivery(transaction, { id, endpointId, lane, eventType, body, isTest: false, isDue: true, createdAt });
  await wakeLane(transaction, lane);
}
