// The job that sends what waits in a lane. It sends one delivery, notes the attempt, and has the lane looked at again in the same
// transaction; the queue never runs two of one lane at a time. So order is kept also across retries: an event waits until the
// one before it was taken or given up.
import { setTimeout as wait } from "node:timers/promises";
import type { JobKind } from "../kernel/jobs/job-runner.ts";
import { isTaken } from "./delivery.ts";
import { DELIVER_WEBHOOKS, deliverPayloadSchema, wakeLane, wakeLaneIn } from "./delivery-queue.ts";
import { addAttempt, findHeadOfLane, listStrandedLanes, lockDelivery } from "./delivery-store.ts";
import { createEndpointSlots } from "./endpoint-slots.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { type Sent, sendDelivery } from "./send-delivery.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** Lanes sent at a time by one process. They mostly wait for slow endpoints. */
const CONCURRENT_JOBS = 12;
/** The queue finds jobs of a later time up to a second late. This much before its time a delivery's job begins, and waits the rest
 *  of it out. */
const WAKE_EARLY_MS = 1_000;
/** Lanes of one endpoint that a process sends at a time, and how long another then waits at least. */
const SENDS_PER_ENDPOINT = 3;
const NO_SLOT_WAIT_MS = 1_000;
const STRANDED_AFTER_MS = 60_000;
const STRANDED_AT_A_TIME = 1_000;

/** The job kind. Sends that are under way are let finish when the process is asked to stop, until `cutOff` fires: one that is cut
 *  short has to be repeated, and its receiver sees it twice. */
export function deliverWebhooksJob(services: WebhookServices, cutOff: AbortSignal): JobKind {
  const { database } = services;
  const slots = createEndpointSlots(SENDS_PER_ENDPOINT);

  async function sendNext(lane: string, stopping: AbortSignal): Promise<void> {
    const head = await findHeadOfLane(database, lane);
    if (!head) return;
    const { delivery, dueInMs } = head;
    if (dueInMs > WAKE_EARLY_MS) return wakeLaneIn(database, lane, dueInMs - WAKE_EARLY_MS);
    await wait(dueInMs, undefined, { signal: stopping });
    const endpoint = await findEndpoint(database, delivery.endpointId);
    if (!endpoint) return;
    const wasSent = await slots.use(endpoint.id, async () => {
      await noteAttempt(services, endpoint, delivery.id, await sendDelivery(services, endpoint, delivery, cutOff));
    });
    if (!wasSent) await wakeLaneIn(database, lane, NO_SLOT_WAIT_MS * (1 + Math.random()));
  }

  return {
    name: DELIVER_WEBHOOKS,
    concurrency: CONCURRENT_JOBS,
    async run(payload, { signal }) {
      const { lane } = deliverPayloadSchema.parse(payload);
      try {
        await sendNext(lane, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        // Another process, or this one after its restart, goes on at once.
        await wakeLane(database, lane);
      }
    },
  };
}

/** Has lanes looked at whose job was lost for good. For the job runner's recovery. */
export async function wakeStrandedLanes({ database }: Pick<WebhookServices, "database">): Promise<void> {
  for (const lane of await listStrandedLanes(database, STRANDED_AFTER_MS, STRANDED_AT_A_TIME)) {
    await wakeLane(database, lane);
  }
}

async function noteAttempt(
  services: WebhookServices,
  endpoint: WebhookEndpoint,
  id: string,
  sent: Sent,
): Promise<void> {
  const { retryDelaysMs } = services.policies[endpoint.family];
  await services.database.transaction().execute(async (transaction) => {
    const locked = await lockDelivery(transaction, id);
    if (!locked) return;
    const { delivery, isWaiting } = locked;
    const number = delivery.attempts + 1;
    const isDelivered = delivery.isDelivered || isTaken(sent.statusCode);
    // It can be settled already if a process that was thought dead sent it too.
    const retryInMs = isDelivered || !isWaiting ? null : (retryDelaysMs[delivery.attempts] ?? null);
    await addAttempt(transaction, id, { ...sent, number }, { isDelivered, retryInMs });
    await wakeLaneIn(transaction, delivery.lane, Math.max(0, (retryInMs ?? 0) - WAKE_EARLY_MS));
    if (isDelivered || retryInMs !== null) return;
    const { statusCode, error } = sent;
    services.logger.info({ webhookId: endpoint.id, deliveryId: id, statusCode, error }, "webhook delivery given up");
  });
}
