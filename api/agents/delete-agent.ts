// Deletes an agent. Its row stays, so that the usage history keeps its name; its files are removed, and unfinished
// models are refunded.

import { type Agent, isBeingCreated } from "./record/agent.ts";
import "./agent-events.ts";
import { agentNotFound } from "./agent-access.ts";
import type { AgentServices } from "./agent-services.ts";
import { deleteFiles, fileKeys } from "./record/agent-files.ts";
import { failCreation, failModel } from "./record/agent-ledger.ts";
import { findAgentById, updateAgent } from "./record/agent-store.ts";

const DELETED = "The agent was deleted before the model was made";

/** Deletes an agent for good. Throws NOT_FOUND if it was deleted before. */
export async function deleteAgent(services: AgentServices, agent: Agent): Promise<void> {
  const now = new Date(services.now());
  const deleted = await services.database.transaction().execute(async (transaction) => {
    const current = await findAgentById(transaction, agent.id, { lock: true });
    if (!current || current.deletedAt) throw agentNotFound(agent.code);
    if (isBeingCreated(current)) await failCreation(transaction, current, DELETED, now);
    for (const { family } of current.models) await failModel(transaction, current, family, DELETED, now);
    await updateAgent(transaction, current.id, { deletedAt: now }, now);
    const { userId, code: agentCode } = current;
    await services.events.publish(transaction, "agent.deleted", { userId, agentCode, at: now });
    return current;
  });
  await deleteFiles(services, fileKeys(deleted));
}
