// Descriptions of the fields of webhooks and their deliveries.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const WEBHOOK_FIELDS: FieldDescriptions = {
  active: "Whether events are sent to the endpoint",
  "WebhookDelivery.event_type": "The event that was sent",
  "WebhookDelivery.attempts": "Number of attempts so far",
  delivered: "Whether the receiver accepted the event (status 2xx)",
  attempt_log: "Each attempt, oldest first",
  attempt: "Number of the attempt, from 1",
  "WebhookDeliveryAttemptLog.status_code": "Status of the receiver's answer; null if there was none",
  "WebhookDeliveryAttemptLog.error": "Why the attempt failed; null if it did not",
  duration_ms: "Duration of the attempt, in milliseconds",
  "WebhookTestOutcome.status_code": "Status of the receiver's answer; null if there was none",
  "WebhookTestOutcome.attempts": "Number of attempts: always 1",
  "NewWebhook.secret":
    "Key for verifying signatures, the contract's and those of Standard Webhooks libraries; only this answer contains it",
  "ChangedSessionWebhook.secret":
    "Key for verifying signatures, the contract's and those of Standard Webhooks libraries; present only if it is new",
  events: "Which events are sent",
  "SessionWebhookEvents.room.join": "A person joined a conversation for the first time",
  "SessionWebhookEvents.chat.push": "A message of a conversation is complete",
  "SessionWebhookReplaceRequestEvents.room.join": "A person joined a conversation for the first time",
  "SessionWebhookReplaceRequestEvents.chat.push": "A message of a conversation is complete",
  "webhooks.get.id": "The webhook",
  "webhooks.update.id": "The webhook",
  "webhooks.delete.id": "The webhook",
  "webhooks.listDeliveries.id": "The webhook",
  "webhooks.test.id": "The webhook",
};
