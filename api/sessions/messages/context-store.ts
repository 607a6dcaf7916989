// What `add-context` gave a conversation, kept until the conversation ends: the next worker of the session gets it.
import { sql, type Transaction } from "kysely";
import type { Database, Queryable, Tables } from "../../kernel/database/database.ts";
import { findAvatarSession } from "../record/avatar-session-store.ts";
import "./message-tables.ts";

/** Kept of one session, in characters and in number. Older ones are dropped. */
const MAX_CHARACTERS = 20_000;
const MAX_CONTEXTS = 200;

export interface StoredContext {
  context: string;
  addedAt: Date;
}

/** Keeps a context with a session, and drops the session's oldest ones beyond the limits. Does nothing if the session
 *  has ended. */
export async function addContext(database: Database, sessionId: string, context: string, at: Date): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    // The lock lets the session's end wait: it deletes what is kept.
    const session = await findAvatarSession(transaction, sessionId, { lock: true });
    if (!session || session.status === "ended") return;
    await transaction.insertInto("session_contexts").values({ session_id: sessionId, context, added_at: at }).execute();
    await sql`
      delete from session_contexts kept
      using (
        select id, sum(length(context)) over newest as characters, row_number() over newest as number
        from session_contexts where session_id = ${sessionId}
        window newest as (order by id desc)
      ) counted
      where kept.id = counted.id
        and (counted.characters > ${MAX_CHARACTERS} or counted.number > ${MAX_CONTEXTS})
    `.execute(transaction);
  });
}

/** A session's contexts, oldest first. */
export function listContexts(database: Queryable, sessionId: string): Promise<StoredContext[]> {
  return database
    .selectFrom("session_contexts")
    .select(["context", "added_at as addedAt"])
    .where("session_id", "=", sessionId)
    .orderBy("id")
    .execute();
}

/** Forgets a session's contexts. */
export async function deleteContexts(transaction: Transaction<Tables>, sessionId: string): Promise<void> {
  await transaction.deleteFrom("session_contexts").where("session_id", "=", sessionId).execute();
}
