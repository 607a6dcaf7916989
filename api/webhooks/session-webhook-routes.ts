// Routes of the session webhook: the account-wide setting for events in rooms.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { SecretCaller } from "../accounts/caller.ts";
import { assertOwnAccount, ownAccountParams } from "../accounts/own-account.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { customHeadersSchema } from "./custom-headers.ts";
import { listDeliveries } from "./delivery/delivery-store.ts";
import { openHeaders } from "./delivery/send-delivery.ts";
import { sendTestDelivery } from "./delivery/send-test-delivery.ts";
import { changeSessionWebhook, findSessionWebhook } from "./session-webhook.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import { RECENT_DELIVERIES } from "./webhook-routes.ts";
import type { WebhookServices } from "./webhook-services.ts";
import { deliverySchema, testOutcomeSchema, viewDelivery, viewTestOutcome } from "./webhook-views.ts";

/** Shown in place of a stored value. */
const HIDDEN = "********";
const PATH = "/v2/:user_id/session-webhook";
const TAGS = ["Webhooks"];

const success = z.literal(true);
const switchesSchema = z.object({ "room.join": z.boolean(), "chat.push": z.boolean() });
const settingSchema = z
  .object({
    url: z.string().nullable().meta({ description: "HTTPS URL of the endpoint; null if none is set" }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: "Headers that are added to each delivery, with masked values" }),
    events: switchesSchema,
    active: z.boolean(),
    created_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "SessionWebhook" });
const changedSettingSchema = settingSchema
  .extend({ secret: z.string().optional() })
  .meta({ id: "ChangedSessionWebhook" });
const changeSchema = z.object({
  url: z
    .string()
    .max(2_048)
    .nullable()
    .optional()
    .meta({ description: "HTTPS URL of the endpoint. Null removes the webhook" }),
  headers: customHeadersSchema
    .optional()
    .meta({ description: "Headers to add to each delivery. They replace the previous ones; if absent, those stay" }),
  events: switchesSchema.partial().optional(),
  active: z.boolean().optional(),
  rotate_secret: z.boolean().optional().meta({ description: "Whether to create a new signing secret and return it" }),
});

/** The routes. */
export function sessionWebhookRoutes(services: WebhookServices): Route[] {
  const { database } = services;

  async function requireSetting(caller: SecretCaller, userId: string): Promise<WebhookEndpoint> {
    assertOwnAccount(caller.account, userId);
    const endpoint = await findSessionWebhook(services, caller.account.userId);
    if (endpoint) return endpoint;
    throw new ServiceError("NOT_FOUND", "The account has no session webhook");
  }

  function viewSetting(endpoint: WebhookEndpoint | null): z.input<typeof settingSchema> {
    const names = endpoint ? Object.keys(openHeaders(services, endpoint)) : [];
    const events = endpoint?.events ?? [];
    return {
      url: endpoint?.url ?? null,
      headers: Object.fromEntries(names.map((name) => [name, HIDDEN])),
      events: { "room.join": events.includes("room.join"), "chat.push": events.includes("chat.push") },
      active: endpoint?.isActive ?? false,
      created_at: endpoint?.createdAt.toISOString() ?? null,
      updated_at: endpoint?.updatedAt.toISOString() ?? null,
    };
  }

  return [
    route({
      method: "get",
      path: PATH,
      operation: "sessionWebhook.get",
      tier: "read",
      auth: "secret",
      summary: "Get the account's webhook for events in rooms",
      tags: TAGS,
      params: ownAccountParams,
      response: z.object({ success, data: settingSchema }),
      errors: ["FORBIDDEN"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        return { success: true as const, data: viewSetting(await findSessionWebhook(services, caller.account.userId)) };
      },
    }),
    route({
      method: "put",
      path: PATH,
      operation: "sessionWebhook.replace",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Set the webhook for events in rooms; only the answer that creates a secret contains it",
      tags: TAGS,
      params: ownAccountParams,
      body: changeSchema,
      example: { body: { url: "https://shop.example/hooks/rooms", events: { "room.join": true }, active: true } },
      response: z.object({ success, data: changedSettingSchema }),
      errors: ["FORBIDDEN"],
      async handler({ params, body, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { endpoint, secret } = await changeSessionWebhook(services, caller.account.userId, {
          url: body.url,
          headers: body.headers,
          events: body.events,
          isActive: body.active,
          rotatesSecret: body.rotate_secret ?? false,
        });
        return { success: true as const, data: { ...viewSetting(endpoint), ...(secret !== null && { secret }) } };
      },
    }),
    route({
      method: "post",
      path: `${PATH}/test`,
      operation: "sessionWebhook.test",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Send a test event now, once, and return its outcome",
      tags: TAGS,
      params: ownAccountParams,
      response: z.object({ success, data: testOutcomeSchema }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        const endpoint = await requireSetting(caller, params.user_id);
        return { success: true as const, data: viewTestOutcome(await sendTestDelivery(services, endpoint)) };
      },
    }),
    route({
      method: "get",
      path: `${PATH}/deliveries`,
      operation: "sessionWebhook.listDeliveries",
      tier: "read",
      auth: "secret",
      summary: "List the session webhook's recent deliveries with all attempts, newest first",
      tags: TAGS,
      params: ownAccountParams,
      query: z.object({
        session_id: z.string().min(1).max(100).optional().meta({ description: "Only those about this avatar session" }),
      }),
      response: z.object({ success, data: z.array(deliverySchema) }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, query, caller }) {
        const { id } = await requireSetting(caller, params.user_id);
        const deliveries = await listDeliveries(database, id, { limit: RECENT_DELIVERIES, subject: query.session_id });
        return { success: true as const, data: deliveries.map(viewDelivery) };
      },
    }),
  ];
}
