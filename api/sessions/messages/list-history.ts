// The history of a conversation for the worker that goes on with it.
import type { ConversationEntry } from "../../../shared/runtime-api.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { listContexts } from "./context-store.ts";
import { listLastMessages } from "./message-store.ts";

/** Longer than what a language model is given. */
const MAX_MESSAGES = 200;

/** A session's last messages that are kept, and its contexts between them, oldest first. Messages stay in the order of
 *  their numbers. */
export async function listHistory(database: Queryable, sessionId: string): Promise<ConversationEntry[]> {
  const messages = await listLastMessages(database, sessionId, MAX_MESSAGES);
  const contexts = await listContexts(database, sessionId);
  const history: ConversationEntry[] = [];
  let next = 0;
  const takeContextsUntil = (at: Date | null): void => {
    for (; next < contexts.length && (at === null || contexts[next].addedAt <= at); next++) {
      history.push({ role: "context", text: contexts[next].context });
    }
  };
  for (const { role, message, saidAt } of messages) {
    takeContextsUntil(saidAt);
    history.push({ role, text: message });
  }
  takeContextsUntil(null);
  return history;
}
