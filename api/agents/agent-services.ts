// Services of the rules and jobs of agents. Built once, in `agents-module.ts`.
import type { Transaction } from "kysely";
import type { Config } from "../../shared/config.ts";
import type { Logger } from "../../shared/log.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { OutgoingClient } from "../../shared/outgoing/outgoing-client.ts";
import type { SecretCaller } from "../accounts/caller.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Database, Tables } from "../kernel/database/database.ts";
import type { Events } from "../kernel/events/events.ts";
import type { OpenAiEndpoint } from "../kernel/outgoing/openai-endpoint.ts";
import type { FileLinks } from "../kernel/storage/file-links.ts";
import type { ObjectStorage } from "../kernel/storage/object-storage.ts";
import type { MarkingLinks } from "./marks/marking-links.ts";
import type { RebakeResult } from "./models/rebake-model.ts";
import type { PageAgents } from "./page-agents.ts";
import type { Gallery } from "./portraits/gallery.ts";
import type { PortraitProcess } from "./portraits/portrait-process.ts";
import type { VoiceProcess } from "./portraits/voice-process.ts";

/** A model of an OpenAI-compatible endpoint that the operator configured. */
export interface OpenAiModel {
  endpoint: OpenAiEndpoint;
  /** The model's name at the endpoint. */
  model: string;
}

/** Finds faces and bakes avatars in the background. */
export type Baker = Pick<PortraitProcess, "locate" | "bake" | "close">;

/** Checks images. */
export type Inspector = Pick<PortraitProcess, "inspect" | "close">;

/** Measures voice samples. */
export type VoiceMeter = Pick<VoiceProcess, "measure" | "close">;

/** Replaces an agent's knowledge bases, in the caller's transaction. Throws FORBIDDEN or NOT_FOUND for a knowledge base
 *  that the caller may not use. */
export type AttachKnowledge = (
  transaction: Transaction<Tables>,
  caller: SecretCaller,
  agentId: string,
  knowledgeBaseIds: readonly string[],
) => Promise<void>;

export interface AgentServices {
  config: Pick<Config, "AVATAR_MIN_FREE_DISK_MB">;
  database: Database;
  events: Events;
  storage: ObjectStorage;
  fileLinks: FileLinks;
  markingLinks: MarkingLinks;
  pageAgents: PageAgents;
  outgoing: OutgoingClient;
  gallery: Gallery;
  /** Checks images while a request waits. */
  inspector: Inspector;
  baker: Baker;
  /** Measures voice samples while a request waits. */
  voices: VoiceMeter;
  /** Writes personas; null if none is configured. */
  writer: OpenAiModel | null;
  /** Makes portraits; null if none is configured. */
  painter: OpenAiModel | null;
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  billingLinks: BillingLinks;
  attachKnowledge: AttachKnowledge;
  /** Families that are paused: no new models of them are made. */
  pausedModels: readonly ModelFamily[];
  /** Whether models of an earlier generator are baked again. */
  isRebaking: boolean;
  /** Counts a rebake on `/metrics`. */
  countRebake(result: RebakeResult): void;
  /** Base URL of all links in answers, without a trailing slash. */
  publicUrl: string;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}
