// What the rules and jobs of agents work with; built once, where the api is wired.

import type { Logger } from "../../shared/log.ts";
import type { BillingLinks } from "../accounts/billing-links.ts";
import type { Database } from "../database/database.ts";
import type { Gallery } from "../gallery/gallery.ts";
import type { OutgoingClient } from "../outgoing/outgoing-client.ts";
import type { FileLinks } from "../storage/file-links.ts";
import type { ObjectStorage } from "../storage/object-storage.ts";
import type { PortraitProcess } from "./portrait-process.ts";

export interface AgentServices {
  database: Database;
  storage: ObjectStorage;
  fileLinks: FileLinks;
  outgoing: OutgoingClient;
  gallery: Gallery;
  /** Checks pictures while a caller waits. */
  inspector: PortraitProcess;
  /** Bakes avatars in the background. */
  baker: PortraitProcess;
  billingLinks: BillingLinks;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}
