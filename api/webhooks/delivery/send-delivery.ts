// Sends a delivery once.
import { isServiceError } from "../../../shared/errors.ts";
import {
  HEADER_STANDARD_WEBHOOK_ID,
  HEADER_STANDARD_WEBHOOK_SIGNATURE,
  HEADER_STANDARD_WEBHOOK_TIMESTAMP,
  HEADER_TEST_WEBHOOK,
  HEADER_WEBHOOK_DELIVERY,
  HEADER_WEBHOOK_EVENT,
  HEADER_WEBHOOK_SIGNATURE,
  HEADER_WEBHOOK_TIMED_SIGNATURE,
  HEADER_WEBHOOK_TIMESTAMP,
} from "../../../shared/wire-names.ts";
import { type CustomHeaders, customHeadersSchema } from "../custom-headers.ts";
import type { WebhookEndpoint, WebhookFamily } from "../webhook-endpoint.ts";
import type { WebhookServices } from "../webhook-services.ts";
import { type Delivery, publicIdOf, type Sent } from "./delivery.ts";
import { signBody, signStandardWebhook, signTimedBody } from "./signature.ts";

/** Posts a delivery to its endpoint. The result includes failures; throws only if `signal` fires during the send. */
export async function sendDelivery(
  services: WebhookServices,
  endpoint: WebhookEndpoint,
  delivery: Pick<Delivery, "id" | "eventType" | "body" | "isTest">,
  signal?: AbortSignal,
): Promise<Sent> {
  const { timeoutMs } = services.policies[endpoint.family];
  const at = new Date(services.now());
  const headers = headersOf(services, endpoint, delivery, at);
  const startedMs = performance.now();
  const result = (statusCode: number | null, error: string | null): Sent => {
    const sent = { statusCode, error, durationMs: Math.round(performance.now() - startedMs), at };
    services.countAttempt(sent);
    return sent;
  };
  try {
    return result(
      await services.outgoing.post(endpoint.url, { headers, body: delivery.body, timeoutMs, signal }),
      null,
    );
  } catch (error) {
    // A send that this process aborted tells nothing about the endpoint.
    signal?.throwIfAborted();
    if (!isServiceError(error)) throw error;
    return result(null, error.message);
  }
}

function headersOf(
  services: WebhookServices,
  endpoint: WebhookEndpoint,
  delivery: Pick<Delivery, "id" | "eventType" | "body" | "isTest">,
  at: Date,
): Record<string, string> {
  const { family } = endpoint;
  const timestamp = Math.floor(at.getTime() / 1000);
  const secret = services.secretSeal.open(endpoint.sealedSecret);
  const id = publicIdOf(delivery.id);
  const own = openHeaders(services, endpoint);
  return {
    ...withoutNames(standardHeadersOf(secret, id, timestamp, delivery.body), Object.keys(own)),
    ...own,
    "Content-Type": "application/json",
    [HEADER_WEBHOOK_EVENT]: delivery.eventType,
    [HEADER_WEBHOOK_DELIVERY]: id,
    [HEADER_WEBHOOK_TIMESTAMP]: String(timestamp),
    ...signaturesOf(family, secret, timestamp, delivery.body),
    ...(delivery.isTest && family === "session" && { [HEADER_TEST_WEBHOOK]: "true" }),
  };
}

/** The contract's signature of session webhooks does not cover the timestamp, so they get a second one that does. */
function signaturesOf(family: WebhookFamily, secret: string, timestamp: number, body: string): Record<string, string> {
  const timed = signTimedBody(secret, timestamp, body);
  if (family === "registered") return { [HEADER_WEBHOOK_SIGNATURE]: timed };
  return { [HEADER_WEBHOOK_SIGNATURE]: signBody(secret, body), [HEADER_WEBHOOK_TIMED_SIGNATURE]: timed };
}

/** What receivers with a library of Standard Webhooks verify, beside the contract's headers. */
function standardHeadersOf(secret: string, id: string, timestamp: number, body: string): Record<string, string> {
  return {
    [HEADER_STANDARD_WEBHOOK_ID]: id,
    [HEADER_STANDARD_WEBHOOK_TIMESTAMP]: String(timestamp),
    [HEADER_STANDARD_WEBHOOK_SIGNATURE]: signStandardWebhook(secret, id, timestamp, body),
  };
}

/** The headers but those of `names`: the contract lets an owner set these names, and a header is sent once. */
function withoutNames(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  const taken = names.map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !taken.includes(name)));
}

/** The owner's own headers. */
export function openHeaders(services: WebhookServices, endpoint: WebhookEndpoint): CustomHeaders {
  const { sealedHeaders } = endpoint;
  return sealedHeaders === null ? {} : customHeadersSchema.parse(JSON.parse(services.headersSeal.open(sealedHeaders)));
}
