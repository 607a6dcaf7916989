// The objects that belong to an agent.
import type { Agent } from "./agent.ts";
import type { AgentServices } from "./agent-services.ts";

/** Removes an agent's portrait and model files. Never throws: what cannot be removed is logged and stays behind. */
export async function deleteAgentFiles(
  { storage, logger }: Pick<AgentServices, "storage" | "logger">,
  agent: Agent,
): Promise<void> {
  for (const key of [agent.portraitKey, ...agent.models.map(({ artifactKey }) => artifactKey)]) {
    if (key === null) continue;
    await storage.delete(key).catch((error: unknown) => {
      logger.warn({ err: error, agentCode: agent.code }, "file of an agent could not be removed");
    });
  }
}
