// Services of avatar sessions. Built once, in `create-api.ts`.
import type { ModelFamily } from "../../shared/models.ts";
import type { JobProviders } from "../../shared/runtime-api.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Inspector } from "../agents/portraits/portrait-process.ts";
import type { Agent } from "../agents/record/agent.ts";
import type { Queryable } from "../kernel/database/database.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { FindSampleAgent } from "../samples/sample-agents.ts";
import type { SessionPolicies } from "./life/session-policies.ts";
import type { SessionMetrics } from "./session-metrics.ts";

export type HasKnowledge = (database: Queryable, agent: { id: string; userId: string }) => Promise<boolean>;

export interface SessionServices extends Kernel {
  /** Samples, which every account may launch. */
  findSampleAgent: FindSampleAgent;
  /** Inspects images in a child process. */
  inspector: Inspector;
  links: BillingLinks;
  /** Models that callers may name. */
  offeredModels: readonly ModelFamily[];
  policies: SessionPolicies;
  sessionMetrics: SessionMetrics;
  /** Whether an agent has documents that a conversation can search. */
  hasKnowledge: HasKnowledge;
  /** The account's own servers that an agent uses, with their keys; null if it has chosen none. */
  describeProviders(agent: Agent): Promise<JobProviders | null>;
  /** Whether a relay takes realtime calls. */
  isRelayed: () => Promise<boolean>;
}
