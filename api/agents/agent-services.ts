// What the rules and jobs of agents work with; built once, where the api is wired.

import type { Logger } from "../../shared/log.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Gallery } from "../gallery/gallery.ts";
import type { Database } from "../kernel/database/database.ts";
import type { OpenAiEndpoint } from "../kernel/outgoing/openai-endpoint.ts";
import type { OutgoingClient } from "../kernel/outgoing/outgoing-client.ts";
import type { FileLinks } from "../kernel/storage/file-links.ts";
import type { ObjectStorage } from "../kernel/storage/object-storage.ts";
import type { MarkingLinks } from "./marks/marking-links.ts";
import type { PortraitProcess } from "./portraits/portrait-process.ts";

/** A model behind an endpoint of the operator's. */
export interface OpenAiModel {
  endpoint: OpenAiEndpoint;
  /** Its name there. */
  model: string;
}

export interface AgentServices {
  database: Database;
  storage: ObjectStorage;
  fileLinks: FileLinks;
  markingLinks: MarkingLinks;
  outgoing: OutgoingClient;
  gallery: Gallery;
  /** Checks pictures while a caller waits. */
  inspector: PortraitProcess;
  /** Bakes avatars in the background. */
  baker: PortraitProcess;
  /** Writes personas; null if none is configured. */
  writer: OpenAiModel | null;
  /** Makes portraits; null if none is configured. */
  painter: OpenAiModel | null;
  /** Models that callers may ask for. */
  offeredModels: readonly ModelFamily[];
  billingLinks: BillingLinks;
  /** Models of which nothing new is made for now. */
  pausedModels: readonly ModelFamily[];
  /** Base of every URL in an answer, without a trailing slash. */
  publicUrl: string;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}
