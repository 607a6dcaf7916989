// The designed voices of an account: those that its agents have.
import type { Queryable } from "../../kernel/database/database.ts";

export interface OwnVoice {
  /** The code of a designed voice. */
  code: string;
  /** Name of the newest agent that has it. */
  agentName: string;
}

const MOST = 200;

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
