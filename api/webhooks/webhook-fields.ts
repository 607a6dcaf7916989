// What the fields of webhooks and their deliveries mean.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const WEBHOOK_FIELDS: FieldDescriptions = {
  active: "Whether events are sent",
  "WebhookDelivery.event_type": "The event that was sent",
  "WebhookDelivery.attempts": "How often it was sent",
  delivered: "Whether the receiver took it",
  attempt_log: "Each attempt, oldest first",
  attempt: "Number of the attempt, from 1",
  "WebhookDeliveryAttemptLog.status_code": "Status that the receiver answered; null without an answer",
  "WebhookDeliveryAttemptLog.error": "Why the attempt failed; null if it did not",
  duration_ms: "How long the receiver took, in milliseconds",
  "WebhookTestOutcome.status_code": "Status that the receiver answered; null without an answer",
  "WebhookTestOutcome.attempts": "How often it was sent: once",
  "WebhooksCreateResponseData.secret": "Key of the signatures, shown this once",
  "SessionWebhookReplaceResponseData.secret": "Key of the signatures, shown when it is new",
  events: "Which events are sent",
  "SessionWebhookEvents.room.join": "An avatar joined its room",
  "SessionWebhookEvents.chat.push": "A line of a conversation; not sent yet",
  "SessionWebhookReplaceRequestEvents.room.join": "An avatar joined its room",
  "SessionWebhookReplaceRequestEvents.chat.push": "A line of a conversation; not sent yet",
  "webhooks.get.id": "The webhook",
  "webhooks.delete.id": "The webhook",
  "webhooks.listDeliveries.id": "The webhook",
  "webhooks.test.id": "The webhook",
};
