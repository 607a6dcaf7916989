// REST client of the Open Avatar Service.
export type { AgentCreation, ReadyOptions } from "./agent-creation.ts";
export type { Call, CallOptions, FileSource, ItemList, Page, WithFiles, WithResponse } from "./call-types.ts";
export {
  type AgentOrder,
  type Agents,
  Client,
  type DownloadQuery,
  type Files,
  type Models,
  type Realtime,
  type RealtimeConnection,
  type Resources,
  type Samples,
} from "./client.ts";
export * from "./errors.ts";
export type * from "./generated/calls.gen.ts";
export type * from "./generated/types.gen.ts";
export type { ClientOptions, Logger } from "./settings.ts";
export {
  type AgentEvent,
  type AgentEventData,
  type RegisteredDelivery,
  type SessionDelivery,
  type SessionEvent,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerifier,
  webhooks,
} from "./webhooks.ts";
