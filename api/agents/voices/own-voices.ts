// The designed voices of an account: those that its agents have.
import type { Queryable } from "../../kernel/database/database.ts";

export interface OwnVoice {
  /** The code of a designed voice. */
  code: string;
  /** Name of the newest agent that has it. */
  agentName: string;
}

const MOST = 200;
/** Agents that are counted: the newest. */
const MOST_AGENTS = 1_000;

/** The account's agents by their voice, newest first, without deleted ones. */
export async function listAgentsByVoice(
  database: Queryable,
  userId: string,
): Promise<ReadonlyMap<string, { code: string; name: string }[]>> {
  const rows = await database
    .selectFrom("agents")
    .select(["voice_id", "code", "name"])
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .where("voice_id", "is not", null)
    .orderBy("created_at", "desc")
    .limit(MOST_AGENTS)
    .execute();
  const byVoice = new Map<string, { code: string; name: string }[]>();
  for (const { voice_id: voiceId, code, name } of rows) {
    if (voiceId === null) continue;
    const agents = byVoice.get(voiceId) ?? [];
    byVoice.set(voiceId, agents);
    agents.push({ code, name });
  }
  return byVoice;
}

/** The newest 200, without those of deleted agents. */
export async function listOwnVoices(database: Queryable, userId: string): Promise<OwnVoice[]> {
  const rows = await database
    .selectFrom("agents")
    .select(["voice_id", "name"])
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .where("voice_id", "like", "bv%")
    .orderBy("created_at", "desc")
    .limit(MOST)
    .execute();
  const names = new Map<string, string>();
  for (const { voice_id: code, name } of rows) if (code !== null && !names.has(code)) names.set(code, name);
  return [...names].map(([code, agentName]) => ({ code, agentName }));
}
