// Services of the rules, routes and jobs of knowledge bases. Built once, in `knowledge-module.ts`.
import type { Logger } from "../../program/log.ts";
import type { OutgoingClient } from "../../program/outgoing/outgoing-client.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Database } from "../kernel/database/database.ts";
import type { RateLimiter } from "../kernel/limits/token-bucket.ts";
import type { FileLinks } from "../kernel/storage/file-links.ts";
import type { ObjectStorage } from "../kernel/storage/object-storage.ts";
import type { Embedder } from "./search/embeddings.ts";
import type { VectorIndex } from "./search/vector-index.ts";

export interface KnowledgeServices {
  database: Database;
  storage: ObjectStorage;
  fileLinks: FileLinks;
  outgoing: OutgoingClient;
  /** Null if no endpoint is configured; passages are then found by their words only. */
  embedder: Embedder | null;
  vectors: VectorIndex;
  limiter: RateLimiter;
  /** Links to larger plans. */
  links: BillingLinks;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}
