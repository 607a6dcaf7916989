// Messages of conversations in the database.
import type { Transaction } from "kysely";
import type { AnswerLatency, SessionMessage } from "../../../shared/runtime-api.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import "./message-tables.ts";

/** What was said in a conversation. */
export interface StoredMessage extends Omit<SessionMessage, "timestamp"> {
  saidAt: Date;
}

/** As the table holds it: `latency` is null where it is not known. */
export type KeptMessage = Omit<StoredMessage, "latency"> & { latency: AnswerLatency | null };

/** Adds messages that are not stored yet. */
export async function insertMessages(
  transaction: Transaction<Tables>,
  sessionId: string,
  messages: readonly StoredMessage[],
): Promise<void> {
  const rows = messages.map(({ seq, role, message, saidAt, latency }) => ({
    session_id: sessionId,
    seq,
    role,
    message,
    said_at: saidAt,
    latency: latency ? JSON.stringify(latency) : null,
  }));
  await transaction.insertInto("session_messages").values(rows).execute();
}

/** All messages of a session that are kept, oldest first. */
export async function listMessages(database: Queryable, sessionId: string): Promise<KeptMessage[]> {
  const rows = await database
    .selectFrom("session_messages")
    .select(["seq", "role", "message", "said_at as saidAt", "latency"])
    .where("session_id", "=", sessionId)
    .orderBy("seq")
    .execute();
  return rows;
}

/** The last `limit` messages of a session that are kept, oldest first. */
export async function listLastMessages(database: Queryable, sessionId: string, limit: number): Promise<KeptMessage[]> {
  const rows = await database
    .selectFrom("session_messages")
    .select(["seq", "role", "message", "said_at as saidAt", "latency"])
    .where("session_id", "=", sessionId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  return rows.toReversed();
}

/** Deletes what was said before `before`. */
export async function deleteMessagesBefore(database: Queryable, before: Date): Promise<void> {
  await database.deleteFrom("session_messages").where("said_at", "<", before).execute();
}

/** Deletes what was said with an agent. */
export async function deleteMessagesOfAgent(database: Queryable, userId: string, agentCode: string): Promise<void> {
  await database
    .deleteFrom("session_messages")
    .where("session_id", "in", (fields) =>
      fields
        .selectFrom("avatar_sessions")
        .select("id")
        .where("user_id", "=", userId)
        .where("agent_code", "=", agentCode),
    )
    .execute();
}
