// Routes of registered webhooks.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { deletedSchema } from "../kernel/http/shared-schemas.ts";
import { listDeliveries } from "./delivery/delivery-store.ts";
import { sendTestDelivery } from "./delivery/send-test-delivery.ts";
import { newWebhookSecret } from "./delivery/signature.ts";
import {
  deleteEndpoint,
  findRegisteredEndpoint,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
} from "./endpoint-store.ts";
import { checkEndpointUrl } from "./endpoint-url.ts";
import { PING_EVENT, REGISTERED_EVENTS, type WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookServices } from "./webhook-services.ts";
import {
  deliverySchema,
  testOutcomeSchema,
  viewDelivery,
  viewTestOutcome,
  viewWebhook,
  webhookSchema,
} from "./webhook-views.ts";

/** Each event is sent to every endpoint, so their number is bounded. */
const MAX_ENDPOINTS = 100;
/** Deliveries shown. */
export const RECENT_DELIVERIES = 100;
const TAGS = ["Webhooks"];

const params = z.object({ id: z.string() });
const success = z.literal(true);
const eventsSchema = z.array(z.enum([...REGISTERED_EVENTS, PING_EVENT])).max(50);
const descriptionSchema = z.string().max(1_000);
const newWebhookSchema = webhookSchema.extend({ secret: z.string() }).meta({ id: "NewWebhook" });

/** The routes. */
export function webhookRoutes(services: WebhookServices): Route[] {
  const { database, secretSeal } = services;

  async function requireEndpoint(userId: string, id: string): Promise<WebhookEndpoint> {
    const isId = z.uuid().safeParse(id).success;
    const endpoint = isId ? await findRegisteredEndpoint(database, userId, id) : null;
    if (endpoint) return endpoint;
    throw noWebhook(id);
  }

  return [
    route({
      method: "post",
      path: "/v1/webhooks",
      operation: "webhooks.create",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Register a webhook; only this answer contains its secret",
      tags: TAGS,
      body: z.object({
        url: z.string().max(2_048).meta({ description: "HTTPS URL of the endpoint" }),
        events: eventsSchema.nullish().meta({ description: "Absent or empty: all" }),
        description: descriptionSchema.nullish(),
      }),
      example: { body: { url: "https://shop.example/hooks/avatars", events: ["agent.ready", "agent.failed"] } },
      response: z.object({ success, data: newWebhookSchema }),
      errors: [],
      async handler({ body, caller }) {
        const { userId } = caller.account;
        const url = await checkEndpointUrl(services, userId, body.url);
        if ((await listEndpoints(database, userId, "registered")).length >= MAX_ENDPOINTS) {
          throw new ServiceError("VALIDATION_ERROR", `An account has at most ${MAX_ENDPOINTS} webhooks`);
        }
        const secret = newWebhookSecret();
        const endpoint = await insertEndpoint(database, {
          userId,
          family: "registered",
          url,
          events: [...new Set(body.events)],
          description: body.description ?? null,
          isActive: true,
          sealedSecret: secretSeal.seal(secret),
          sealedHeaders: null,
          createdAt: new Date(services.now()),
        });
        return { success: true as const, data: { ...viewWebhook(endpoint), secret } };
      },
    }),
    route({
      method: "get",
      path: "/v1/webhooks",
      operation: "webhooks.list",
      tier: "read",
      auth: "secret",
      summary: "List the account's webhooks, oldest first",
      tags: TAGS,
      response: z.object({ success, data: z.array(webhookSchema) }),
      errors: [],
      async handler({ caller }) {
        const endpoints = await listEndpoints(database, caller.account.userId, "registered");
        return { success: true as const, data: endpoints.map(viewWebhook) };
      },
    }),
    route({
      method: "get",
      path: "/v1/webhooks/:id",
      operation: "webhooks.get",
      tier: "read",
      auth: "secret",
      summary: "Get a webhook",
      tags: TAGS,
      params,
      response: z.object({ success, data: webhookSchema }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        return { success: true as const, data: viewWebhook(await requireEndpoint(caller.account.userId, params.id)) };
      },
    }),
    route({
      method: "patch",
      path: "/v1/webhooks/:id",
      operation: "webhooks.update",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Pause or resume a webhook, or change its events or description",
      tags: TAGS,
      params,
      body: z.object({
        active: z.boolean().optional().meta({
          description: "False pauses it: events that happen while it is paused are never sent to it",
        }),
        events: eventsSchema.optional().meta({ description: "They replace the former ones. Empty: all" }),
        description: descriptionSchema
          .nullable()
          .optional()
          .meta({ description: "A note of the owner; null for none" }),
      }),
      example: { body: { active: false } },
      response: z.object({ success, data: webhookSchema }),
      errors: ["NOT_FOUND"],
      async handler({ params, body, caller }) {
        const endpoint = await requireEndpoint(caller.account.userId, params.id);
        const { active, events, description } = body;
        const changed = await updateEndpoint(database, endpoint.id, {
          ...(active !== undefined && { isActive: active }),
          ...(events && { events: [...new Set(events)] }),
          ...(description !== undefined && { description }),
          updatedAt: new Date(services.now()),
        });
        if (!changed) throw noWebhook(endpoint.id);
        return { success: true as const, data: viewWebhook(changed) };
      },
    }),
    route({
      method: "delete",
      path: "/v1/webhooks/:id",
      operation: "webhooks.delete",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Delete a webhook; its pending deliveries are dropped",
      tags: TAGS,
      params,
      response: deletedSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const { id } = await requireEndpoint(caller.account.userId, params.id);
        await deleteEndpoint(database, id);
        return { success: true as const, deleted: true as const };
      },
    }),
    route({
      method: "post",
      path: "/v1/webhooks/:id/test",
      operation: "webhooks.test",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Send a ping now, once, and return its outcome",
      tags: TAGS,
      params,
      response: z.object({ success, data: testOutcomeSchema }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const endpoint = await requireEndpoint(caller.account.userId, params.id);
        return { success: true as const, data: viewTestOutcome(await sendTestDelivery(services, endpoint)) };
      },
    }),
    route({
      method: "get",
      path: "/v1/webhooks/:id/deliveries",
      operation: "webhooks.listDeliveries",
      tier: "read",
      auth: "secret",
      summary: "List a webhook's recent deliveries with all attempts, newest first",
      tags: TAGS,
      params,
      response: z.object({ success, data: z.array(deliverySchema) }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const { id } = await requireEndpoint(caller.account.userId, params.id);
        const deliveries = await listDeliveries(database, id, { limit: RECENT_DELIVERIES });
        return { success: true as const, data: deliveries.map(viewDelivery) };
      },
    }),
  ];
}

function noWebhook(id: string): ServiceError {
  return new ServiceError("NOT_FOUND", `No webhook ${id.slice(0, 100)}`);
}
