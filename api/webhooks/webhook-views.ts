// Webhook endpoints and deliveries in answers.
import { z } from "zod";
import type { Attempt, Delivery } from "./delivery/delivery.ts";
import type { TestOutcome } from "./delivery/send-test-delivery.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

export const webhookSchema = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z
      .array(z.string())
      .meta({ description: "Subscribed events. An empty list means all events, including those of later versions" }),
    description: z.string().nullable(),
    active: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Webhook" });

export const deliverySchema = z
  .object({
    id: z.uuid().meta({ description: "Id of the delivery, as in its headers and body but without the prefix `evt_`" }),
    event_type: z.string(),
    status_code: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the last attempt; null if the receiver did not answer" }),
    attempts: z.int(),
    delivered: z.boolean(),
    is_test: z.boolean().meta({ description: "Whether it is a test. Tests are sent once" }),
    next_attempt_at: z.iso.datetime().nullable().meta({
      description:
        "When it is sent next, in UTC; null once it was accepted or given up. Earlier deliveries of the same agent or session go first",
    }),
    body: z.string().meta({ description: "What is sent, byte for byte, at every attempt" }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    attempt_log: z.array(
      z.object({
        attempt: z.int(),
        status_code: z.int().nullable(),
        error: z.string().nullable(),
        duration_ms: z.int(),
        created_at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: "WebhookDelivery" });

export const testOutcomeSchema = z
  .object({ delivered: z.boolean(), status_code: z.int().nullable(), attempts: z.int() })
  .meta({ id: "WebhookTestOutcome" });

export function viewWebhook(endpoint: WebhookEndpoint): z.input<typeof webhookSchema> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    description: endpoint.description,
    active: endpoint.isActive,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

export function viewDelivery(entry: { delivery: Delivery; attempts: Attempt[] }): z.input<typeof deliverySchema> {
  const { delivery, attempts } = entry;
  return {
    id: delivery.id,
    event_type: delivery.eventType,
    status_code: delivery.statusCode,
    attempts: delivery.attempts,
    delivered: delivery.isDelivered,
    is_test: delivery.isTest,
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
    body: delivery.body,
    created_at: delivery.createdAt.toISOString(),
    updated_at: delivery.updatedAt.toISOString(),
    attempt_log: attempts.map((attempt) => ({
      attempt: attempt.number,
      status_code: attempt.statusCode,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      created_at: attempt.at.toISOString(),
    })),
  };
}

export function viewTestOutcome(outcome: TestOutcome): z.input<typeof testOutcomeSchema> {
  return { delivered: outcome.isDelivered, status_code: outcome.statusCode, attempts: outcome.attempts };
}
