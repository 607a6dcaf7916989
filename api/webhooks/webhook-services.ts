// Dependencies of the routes, rules and jobs of webhooks. Built once, where the api is wired.
import type { Logger } from "../../program/log.ts";
import type { OutgoingClient } from "../../program/outgoing/outgoing-client.ts";
import type { Database } from "../kernel/database/database.ts";
import type { TextSeal } from "../kernel/tokens/sealed-text.ts";
import type { Sent } from "./delivery/delivery.ts";
import type { DeliveryPolicies } from "./webhook-endpoint.ts";

export interface WebhookServices {
  database: Database;
  outgoing: OutgoingClient;
  /** Encrypts endpoint secrets. */
  secretSeal: TextSeal;
  /** Encrypts the owners' own headers. */
  headersSeal: TextSeal;
  policies: DeliveryPolicies;
  /** AVATAR_ALLOW_PRIVATE_ADDRESSES: endpoints may be on this machine, by plain HTTP too. */
  allowsLoopback: boolean;
  logger: Logger;
  /** Counts an attempt. */
  countAttempt(sent: Sent): void;
  /** Milliseconds since the epoch. */
  now(): number;
}
