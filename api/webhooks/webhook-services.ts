// What the rules, routes and jobs of webhooks work with; built once, where the api is wired.
import type { Logger } from "../../shared/log.ts";
import type { Database } from "../kernel/database/database.ts";
import type { OutgoingClient } from "../kernel/outgoing/outgoing-client.ts";
import type { TextSeal } from "../kernel/tokens/sealed-text.ts";
import type { DeliveryPolicies } from "./webhook-endpoint.ts";

export interface WebhookServices {
  database: Database;
  outgoing: OutgoingClient;
  /** Keeps endpoint secrets. */
  secretSeal: TextSeal;
  /** Keeps the owners' own headers. */
  headersSeal: TextSeal;
  policies: DeliveryPolicies;
  /** The development switch: endpoints on this machine may be used, by plain HTTP too. */
  allowsLoopback: boolean;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}
