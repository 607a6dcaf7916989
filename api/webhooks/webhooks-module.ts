// Wires webhooks into the api: services, routes, background work.

import { BackgroundLoop } from "../kernel/background-loop.ts";
import { sweepJobQueues } from "../kernel/jobs/job-runner.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { createTextSeal } from "../kernel/tokens/sealed-text.ts";
import { deliverWebhooksJob, wakeStrandedLanes } from "./delivery/deliver-job.ts";
import { createDeliveryMetrics } from "./delivery/delivery-metrics.ts";
import { deleteOldDeliveries } from "./delivery/delivery-store.ts";
import { publishAccountEvent, publishRoomEvent } from "./publish-event.ts";
import { sessionWebhookRoutes } from "./session-webhook-routes.ts";
import { DELIVERY_POLICIES, type DeliveryPolicies } from "./webhook-endpoint.ts";
import { WEBHOOK_FIELDS } from "./webhook-fields.ts";
import { webhookRoutes } from "./webhook-routes.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** How long sends in flight may continue when the process stops. */
const FINISH_MS = 3_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const LOG_KEPT_MS = 30 * 24 * 3_600_000;

export interface WebhooksModuleOptions extends Kernel {
  /** Default: the contract's. Tests use shorter delays. */
  policies?: DeliveryPolicies;
}

/** Builds the module and subscribes it to domain events. */
export function createWebhooksModule(options: WebhooksModuleOptions): Module {
  const logger = options.logger.child({ part: "webhooks" });
  const services: WebhookServices = {
    database: options.database,
    outgoing: options.outgoing,
    secretSeal: createTextSeal(options.signingKey, "webhook-secret"),
    headersSeal: createTextSeal(options.signingKey, "webhook-headers"),
    policies: options.policies ?? DELIVERY_POLICIES,
    allowsLoopback: options.config.outgoing.allowPrivate,
    logger,
    countAttempt: createDeliveryMetrics(options),
    now: options.now,
  };
  const { events } = options;
  events.on("agent.ready", (transaction, event) => publishAccountEvent(transaction, { ...event, name: "agent.ready" }));
  events.on("agent.failed", (transaction, { error, ...event }) =>
    publishAccountEvent(transaction, { ...event, name: "agent.failed", data: { error } }),
  );
  for (const name of ["video.completed", "video.failed"] as const) {
    events.on(name, (transaction, { video, ...event }) =>
      publishAccountEvent(transaction, { ...event, name, data: { ...video } }),
    );
  }
  events.on("dynamics.ready", (transaction, { actions, ...event }) =>
    publishAccountEvent(transaction, { ...event, name: "dynamics.ready", data: { gestures: actions } }),
  );
  events.on("dynamics.failed", (transaction, { error, ...event }) =>
    publishAccountEvent(transaction, { ...event, name: "dynamics.failed", data: { error } }),
  );
  events.on("room.join", (transaction, { userId, avatarSessionId, agentCode, roomName, participantCount, at }) => {
    const data = { room_name: roomName, participant_count: participantCount, session_id: avatarSessionId };
    return publishRoomEvent(transaction, { userId, name: "room.join", agentCode: agentCode ?? "", data, at });
  });
  events.on("chat.push", (transaction, { userId, avatarSessionId, agentCode, role, message, at }) => {
    const data = { role, message, session_id: avatarSessionId, timestamp: at.getTime() / 1000 };
    return publishRoomEvent(transaction, { userId, name: "chat.push", agentCode: agentCode ?? "", data, at });
  });
  const cutOff = new AbortController();
  const sweeper = new BackgroundLoop({
    name: "webhook-sweeper",
    intervalMs: SWEEP_INTERVAL_MS,
    async work() {
      await deleteOldDeliveries(services.database, new Date(services.now() - LOG_KEPT_MS));
      await sweepJobQueues(options.pool, logger);
    },
    logger,
  });
  return {
    routes: [...webhookRoutes(services), ...sessionWebhookRoutes(services)],
    fields: WEBHOOK_FIELDS,
    jobs: [deliverWebhooksJob(services, cutOff.signal)],
    loops: [sweeper],
    recover: () => wakeStrandedLanes(services),
    async close() {
      setTimeout(() => cutOff.abort(), FINISH_MS).unref();
    },
  };
}
