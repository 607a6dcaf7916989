// What route modules are given: everything that is built once per api.
import type { Pool } from "pg";
import type { Config } from "../../shared/config.ts";
import type { Logger } from "../../shared/log.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { PortraitProcess } from "../agents/portraits/portrait-process.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database/database.ts";
import type { HttpMetrics } from "./http/metrics.ts";
import type { RateLimiter } from "./limits/token-bucket.ts";
import type { LiveKitGateway } from "./livekit/livekit-gateway.ts";
import type { OutgoingClient } from "./outgoing/outgoing-client.ts";
import type { FileLinks } from "./storage/file-links.ts";
import type { ObjectStorage } from "./storage/object-storage.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface Services {
  config: Config;
  logger: Logger;
  now: Clock;
  pool: Pool;
  database: Database;
  storage: ObjectStorage;
  /** Links to what is stored. */
  fileLinks: FileLinks;
  outgoing: OutgoingClient;
  /** Checks pictures while a caller waits, outside this process. */
  inspector: PortraitProcess;
  livekit: LiveKitGateway;
  tokens: Tokens;
  /** The installation's own key; derive from it for each purpose, never use it as it is. */
  signingKey: Uint8Array;
  limiter: RateLimiter;
  links: BillingLinks;
  /** Models that callers may ask for. */
  offeredModels: readonly ModelFamily[];
  metrics: HttpMetrics;
}

/** Work that goes on beside the requests. `close` is idempotent. */
export interface BackgroundService {
  start(): Promise<void>;
  close(): Promise<void>;
}
