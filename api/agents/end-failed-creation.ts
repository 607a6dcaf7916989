// The end of a creation that failed or was refused, in the transaction that settled its models.

import type { Transaction } from "kysely";
import { CREATION_PROGRESS } from "../../shared/creation-progress.ts";
import type { Tables } from "../kernel/database/database.ts";
import type { Events } from "../kernel/events/events.ts";
import "./agent-events.ts";
import { generatedModels } from "./record/agent.ts";
import { findAgentById, updateAgent } from "./record/agent-store.ts";

/** Makes an agent with a working model ready again, any other failed, and publishes `agent.failed` with the reason
 *  unless the agent was deleted. */
export async function endFailedCreation(
  transaction: Transaction<Tables>,
  events: Events,
  { agentId, reason, at }: { agentId: string; reason: string; at: Date },
): Promise<void> {
  const agent = await findAgentById(transaction, agentId);
  if (!agent) return;
  const outcome =
    generatedModels(agent).length > 0
      ? ({
          status: "ready",
          progress: 1,
          currentStep: "done",
          errorMessage: null,
          progressMessage: `Ready, as before. ${reason}`,
        } as const)
      : ({ status: "failed", errorMessage: reason, progressMessage: CREATION_PROGRESS.failed } as const);
  await updateAgent(transaction, agentId, { ...outcome, eventType: "agent_failed", waitingSince: null }, at);
  const { userId, code: agentCode, deletedAt } = agent;
  if (!deletedAt) await events.publish(transaction, "agent.failed", { userId, agentCode, error: reason, at });
}
