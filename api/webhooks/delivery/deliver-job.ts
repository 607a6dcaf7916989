// The job that sends the deliveries of a lane. It sends one delivery, records the attempt and wakes the lane again in
// the same transaction; the queue never runs two jobs of one lane at a time. So deliveries stay in order across
// retries: an event waits until the one before it was delivered or given up.
import { setTimeout as delay } from "node:timers/promises";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { findEndpoint } from "../endpoint-store.ts";
import type { WebhookEndpoint } from "../webhook-endpoint.ts";
import type { WebhookServices } from "../webhook-services.ts";
import type { Sent } from "./delivery.ts";
import { isTaken } from "./delivery.ts";
import { DELIVER_WEBHOOKS, deliverPayloadSchema, wakeLane, wakeLaneIn } from "./delivery-queue.ts";
import { addAttempt, findHeadOfLane, listStrandedLanes, lockDelivery } from "./delivery-store.ts";
import { sendDelivery } from "./send-delivery.ts";
import { createSendSlots, type SendTarget } from "./send-slots.ts";

/** Deliveries that one process sends at a time. Most of that time is spent waiting for the receiver. */
const CONCURRENT_JOBS = 24;
/** Limits within `CONCURRENT_JOBS`: a host that several accounts use gets more than one account, and slow
 *  endpoints leave two thirds to all others. */
const SEND_LIMITS = { perEndpoint: 3, perHost: 8, perAccount: 4, slow: 8, slowFromMs: 3_000 };
/** A lane that found no slot is woken when one is free. If this process ends before, or another one has a slot, the
 *  lane tries again after this time and up to the same time more, in ms. */
const NO_SLOT_WAIT_MS = 15_000;
/** Lanes that are remembered for that; others have the delay alone. */
const MAX_PARKED_LANES = 10_000;
/** The queue finds delayed jobs up to a second late, so a delivery's job starts this much early and waits for the exact
 *  time. */
const WAKE_EARLY_MS = 1_000;
const STRANDED_AFTER_MS = 60_000;
const STRANDED_AT_A_TIME = 1_000;

/** The job kind. When the process stops, sends in flight may finish until `cutOff` fires. A send that is cut off is
 *  repeated, so its receiver gets the event twice. */
export function deliverWebhooksJob(services: WebhookServices, cutOff: AbortSignal): JobKind {
  const { database } = services;
  const slots = createSendSlots(SEND_LIMITS);
  /** Lanes that found no slot, by their order of arrival. */
  const parked = new Map<string, SendTarget>();

  /** Wakes the first lane that would find a slot now. */
  async function wakeParked(): Promise<void> {
    for (const [lane, target] of parked) {
      if (!slots.isFree(target)) continue;
      parked.delete(lane);
      return wakeLaneIn(database, lane, 0);
    }
  }

  async function sendNext(lane: string, stopping: AbortSignal): Promise<void> {
    const head = await findHeadOfLane(database, lane);
    if (!head) return;
    const { delivery, dueInMs } = head;
    if (dueInMs > WAKE_EARLY_MS) return wakeLaneIn(database, lane, dueInMs - WAKE_EARLY_MS);
    await delay(dueInMs, undefined, { signal: stopping });
    const endpoint = await findEndpoint(database, delivery.endpointId);
    if (!endpoint) return;
    const target = { endpointId: endpoint.id, host: new URL(endpoint.url).host, userId: endpoint.userId };
    const wasSent = await slots.use(target, async () => {
      const sent = await sendDelivery(services, endpoint, delivery, cutOff);
      await recordAttempt(services, endpoint, delivery.id, sent);
      return sent.durationMs;
    });
    if (wasSent) return;
    await wakeLaneIn(database, lane, NO_SLOT_WAIT_MS * (1 + Math.random()));
    // Only now: a wake-up before that would be put off by it.
    if (parked.size < MAX_PARKED_LANES) parked.set(lane, target);
  }

  return {
    name: DELIVER_WEBHOOKS,
    concurrency: CONCURRENT_JOBS,
    async run(payload, { signal }) {
      const { lane } = deliverPayloadSchema.parse(payload);
      parked.delete(lane);
      try {
        await sendNext(lane, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        // Another process, or this one after its restart, continues at once.
        await wakeLane(database, lane);
      } finally {
        // Also if the lane had nothing to send: the slot that it was woken for is still free.
        await wakeParked();
      }
    },
  };
}

/** Wakes lanes without their job. For the job runner's recovery. */
export async function wakeStrandedLanes({ database }: Pick<WebhookServices, "database">): Promise<void> {
  for (const lane of await listStrandedLanes(database, STRANDED_AFTER_MS, STRANDED_AT_A_TIME)) {
    await wakeLane(database, lane);
  }
}

async function recordAttempt(
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
    // The delivery may be settled already: a process that was considered dead may have sent it too.
    const retryInMs = isDelivered || !isWaiting ? null : (retryDelaysMs[delivery.attempts] ?? null);
    await addAttempt(transaction, id, { ...sent, number }, { isDelivered, retryInMs });
    await wakeLaneIn(transaction, delivery.lane, Math.max(0, (retryInMs ?? 0) - WAKE_EARLY_MS));
    if (isDelivered || retryInMs !== null) return;
    const { statusCode, error } = sent;
    services.logger.info({ webhookId: endpoint.id, deliveryId: id, statusCode, error }, "webhook delivery given up");
  });
}
