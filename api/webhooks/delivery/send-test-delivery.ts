// Sends a test delivery, which shows an owner whether an endpoint is reachable. It is sent at once, without retries,
// and logged like any other delivery.
import { randomUUID } from "node:crypto";
import { accountEventBody, roomEventBody } from "../publish-event.ts";
import { PING_EVENT, TEST_EVENT, type WebhookEndpoint } from "../webhook-endpoint.ts";
import type { WebhookServices } from "../webhook-services.ts";
import { type Delivery, isTaken } from "./delivery.ts";
import { addAttempt, insertDelivery, lockDelivery } from "./delivery-store.ts";
import { sendDelivery } from "./send-delivery.ts";

export type TestOutcome = Pick<Delivery, "isDelivered" | "statusCode" | "attempts">;

/** Sends a test delivery and returns its outcome. */
export async function sendTestDelivery(services: WebhookServices, endpoint: WebhookEndpoint): Promise<TestOutcome> {
  const { database } = services;
  const id = randomUUID();
  const at = new Date(services.now());
  const isRegistered = endpoint.family === "registered";
  const eventType = isRegistered ? PING_EVENT : TEST_EVENT;
  const body = isRegistered
    ? accountEventBody(id, eventType, { webhook_id: endpoint.id }, at)
    : roomEventBody("", eventType, {}, at);
  const delivery = { id, endpointId: endpoint.id, lane: `${endpoint.id}:`, eventType, body, isTest: true };
  await insertDelivery(database, { ...delivery, isDue: false, createdAt: at });
  const sent = await sendDelivery(services, endpoint, delivery);
  const isDelivered = isTaken(sent.statusCode);
  await database.transaction().execute(async (transaction) => {
    // The endpoint and its deliveries may have been deleted since.
    if (!(await lockDelivery(transaction, id))) return;
    await addAttempt(transaction, id, { ...sent, number: 1 }, { isDelivered, retryInMs: null });
  });
  return { isDelivered, statusCode: sent.statusCode, attempts: 1 };
}
