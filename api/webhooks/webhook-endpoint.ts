// A webhook endpoint: a URL that an account has registered for events. There are two families, which differ in their
// events, bodies and signatures: `registered` through /v1/webhooks, any number per account; `session`, one per account,
// for events in rooms.

export type WebhookFamily = "registered" | "session";

/** Events of registered endpoints. */
export const REGISTERED_EVENTS = [
  "agent.ready",
  "agent.failed",
  "video.completed",
  "video.failed",
  "dynamics.ready",
  "dynamics.failed",
] as const;
export type RegisteredEvent = (typeof REGISTERED_EVENTS)[number];
/** Events of the session endpoint. */
export const SESSION_EVENTS = ["room.join", "chat.push"] as const;
export type SessionEventName = (typeof SESSION_EVENTS)[number];

/** Event names of test deliveries, which do not depend on the subscription. */
export const PING_EVENT = "ping";
export const TEST_EVENT = "test";

export interface WebhookEndpoint {
  id: string;
  userId: string;
  family: WebhookFamily;
  url: string;
  events: string[];
  description: string | null;
  isActive: boolean;
  sealedSecret: Buffer;
  sealedHeaders: Buffer | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Timeout and retries of a family's deliveries. */
export interface DeliveryPolicy {
  /** Limit for the endpoint's answer, in ms. */
  timeoutMs: number;
  /** Waits before the first, second, … retry, in ms; there are as many retries as waits. */
  retryDelaysMs: readonly number[];
}

export type DeliveryPolicies = Readonly<Record<WebhookFamily, DeliveryPolicy>>;

/** Source: the contract. It does not fix the delays for registered endpoints; the last delay gives a receiver time to
 *  restart. */
export const DELIVERY_POLICIES: DeliveryPolicies = Object.freeze({
  registered: { timeoutMs: 10_000, retryDelaysMs: [2_000, 5_000, 30_000] },
  session: { timeoutMs: 30_000, retryDelaysMs: [1_000, 5_000, 30_000] },
});
