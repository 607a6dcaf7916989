// What was said in a visitor's last conversation with an agent.
import type { ConversationEntry } from "../../../shared/runtime-api.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { listLastMessages } from "./message-store.ts";

/** Enough for a summary. */
const MAX_MESSAGES = 60;

export interface Visitor {
  userId: string;
  agentCode: string;
  endUserId: string;
}

/** The last messages of the visitor's newest ended conversation that has messages and is remembered, oldest first;
 *  empty if there is none. */
export async function listEarlier(
  database: Queryable,
  { userId, agentCode, endUserId }: Visitor,
): Promise<ConversationEntry[]> {
  const last = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("user_id", "=", userId)
    .where("agent_code", "=", agentCode)
    .where("end_user_id", "=", endUserId)
    .where("has_conversation", "=", true)
    .where("remembers_visitor", "=", true)
    .where("status", "=", "ended")
    .where("last_message_seq", ">", 0)
    .orderBy("ended_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!last) return [];
  const messages = await listLastMessages(database, last.id, MAX_MESSAGES);
  return messages.map(({ role, message }) => ({ role, text: message }));
}
