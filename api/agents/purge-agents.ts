// Erasing what is left of deleted agents after a while.

import { deleteAgentFiles } from "./agent-files.ts";
import type { AgentServices } from "./agent-services.ts";
import { findAgentById, updateAgent } from "./agent-store.ts";

/** A deleted agent's row keeps its words this long, in case its owner asks what it was. */
const KEPT_MS = 30 * 24 * 3_600_000;
const AT_A_TIME = 50;

/** Erases prompts, descriptions, marks and whatever files could not be removed when an agent was deleted. The row with its code and name
 *  stays, because usage refers to it. For the job runner's recovery. */
export async function purgeDeletedAgents(services: AgentServices): Promise<void> {
  const { database } = services;
  const now = new Date(services.now());
  const due = await database
    .selectFrom("agents")
    .select("id")
    .where("deleted_at", "<=", new Date(now.getTime() - KEPT_MS))
    .where("purged_at", "is", null)
    .limit(AT_A_TIME)
    .execute();
  for (const { id } of due) {
    const agent = await findAgentById(database, id);
    if (!agent) continue;
    await deleteAgentFiles(services, agent);
    const erased = {
      prompt: "",
      systemPrompt: "",
      description: "",
      imageUrl: null,
      portraitKey: null,
      faceMarks: null,
      suggestedFaceMarks: null,
      purgedAt: now,
    };
    await updateAgent(database, id, erased, now);
  }
}
