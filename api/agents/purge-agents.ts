// Erases the data of deleted agents after a retention period.

import type { AgentServices } from "./agent-services.ts";
import { deleteFiles, fileKeys } from "./record/agent-files.ts";
import { findAgentById, updateAgent } from "./record/agent-store.ts";

/** How long a deleted agent's row keeps its texts, so that its owner can still ask what it was. */
const KEPT_MS = 30 * 24 * 3_600_000;
const AT_A_TIME = 50;

/** Erases names, prompts, greetings, marks, the measured voice, gesture configurations, URLs of images and samples, and
 *  files that could not be removed when the agent was deleted. The row with its code stays, because usage refers to it.
 *  For the job runner's recovery. */
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
    await deleteFiles(services, fileKeys(agent));
    const erased = {
      name: "",
      prompt: "",
      systemPrompt: "",
      greeting: "",
      description: "",
      imageUrl: null,
      imageKey: null,
      portraitKey: null,
      portraitSize: null,
      voiceSampleUrl: null,
      voiceSampleKey: null,
      voiceCharacter: null,
      faceMarks: null,
      suggestedFaceMarks: null,
      dynamics: {},
      purgedAt: now,
    };
    await updateAgent(database, id, erased, now);
    await database.updateTable("agents").set({ draft: null }).where("id", "=", id).execute();
  }
}
