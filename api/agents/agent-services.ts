// Services of the rules and jobs of agents. Built once, in `agents-module.ts`.
import type { Transaction } from "kysely";
import type { Config } from "../../program/config.ts";
import type { OutgoingClient } from "../../program/outgoing/outgoing-client.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { SecretCaller } from "../accounts/caller.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { Events } from "../kernel/events/events.ts";
import type { OpenAiModel } from "../kernel/outgoing/openai-endpoint.ts";
import type { FileLinks } from "../kernel/storage/file-links.ts";
import type { MarkingLinks } from "./marks/marking-links.ts";
import type { RebakeJobServices } from "./models/rebake-job.ts";
import type { PageAgents } from "./page-agents.ts";
import type { Inspector } from "./portraits/portrait-process.ts";
import type { PosterLinks } from "./posters/poster-links.ts";
import type { Agent } from "./record/agent.ts";
import type { VoiceMeter } from "./voices/voice-process.ts";

/** Replaces an agent's knowledge bases, in the caller's transaction. Throws FORBIDDEN or NOT_FOUND for a knowledge base
 *  that the caller may not use. */
export type AttachKnowledge = (
  transaction: Transaction<Tables>,
  caller: SecretCaller,
  agentId: string,
  knowledgeBaseIds: readonly string[],
) => Promise<void>;

/** Ids of the knowledge bases that an agent uses. */
export type ListKnowledge = (database: Queryable, agent: Pick<Agent, "id" | "userId">) => Promise<string[]>;

export interface AgentServices extends RebakeJobServices {
  config: Pick<Config, "disk">;
  events: Events;
  fileLinks: FileLinks;
  markingLinks: MarkingLinks;
  pageAgents: PageAgents;
  /** Links to stills of avatars at rest. */
  posters: PosterLinks;
  outgoing: OutgoingClient;
  /** Checks images while a request waits. */
  inspector: Inspector;
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
  listKnowledge: ListKnowledge;
  /** Base URL of all links in answers, without a trailing slash. */
  publicUrl: string;
}
