// What every noun may build on. Created once per api; does not depend on any noun.
import type { Pool } from "pg";
import type { Logger } from "../../program/log.ts";
import type { AddressGuard } from "../../program/outgoing/address-guard.ts";
import type { OutgoingClient } from "../../program/outgoing/outgoing-client.ts";
import type { Tracer } from "../../program/telemetry/tracer.ts";
import type { ApiConfig } from "./api-config.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database/database.ts";
import type { Notifications } from "./database/notifications.ts";
import type { Events } from "./events/events.ts";
import type { RateLimiter } from "./limits/token-bucket.ts";
import type { LiveKitGateway } from "./livekit/livekit-gateway.ts";
import type { Metrics } from "./monitoring/metrics.ts";
import type { FileLinks } from "./storage/file-links.ts";
import type { ObjectStorage } from "./storage/object-storage.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface Kernel {
  config: ApiConfig;
  logger: Logger;
  now: Clock;
  pool: Pool;
  database: Database;
  /** Waits for and subscribes to `pg_notify` from any api process. */
  notifications: Notifications;
  events: Events;
  storage: ObjectStorage;
  /** Signed links to stored objects. */
  fileLinks: FileLinks;
  outgoing: OutgoingClient;
  livekit: LiveKitGateway;
  /** For `livekit_url` only: lets our own LiveKit server through, which `outgoing.guard` does not. */
  livekitGuard: AddressGuard;
  tokens: Tokens;
  /** The installation's own key. Derive a key from it for each purpose (`deriveKey`); never use it directly. */
  signingKey: Uint8Array;
  limiter: RateLimiter;
  metrics: Metrics;
  /** Traces of requests and launches. */
  tracer: Tracer;
}
