// Keeps the messages of a conversation and tells their owner of each, once and in order.
import type { SessionMessage } from "../../../shared/runtime-api.ts";
import { findAvatarSession } from "../avatar-session-store.ts";
import type { SessionServices } from "../session-services.ts";
import { announceConversation } from "./announce-conversation.ts";
import { insertMessages } from "./message-store.ts";
import "./message-events.ts";

/** How a report of messages ended: `superseded` if another worker serves the session now. */
export type MessagesResult = "kept" | "superseded" | "no-conversation";

/** Takes messages of the worker that serves the session. Those that were reported before are left out. With a retention
 *  of 0 days nothing is stored, and the owner is told all the same. */
export async function keepMessages(
  { database, events, config, now }: Pick<SessionServices, "database" | "events" | "config" | "now">,
  { sessionId, dispatchNumber }: { sessionId: string; dispatchNumber: number },
  reported: readonly SessionMessage[],
): Promise<MessagesResult> {
  return database.transaction().execute(async (transaction) => {
    // The lock puts reports that arrive at the same time in order.
    const session = await findAvatarSession(transaction, sessionId, { lock: true });
    if (!session?.hasConversation) return "no-conversation";
    if (session.dispatchNumber !== dispatchNumber) return "superseded";
    const { userId, agentCode, lastMessageSeq } = session;
    const messages = reported
      .filter(({ seq }) => seq > lastMessageSeq)
      .sort((left, right) => left.seq - right.seq)
      .map(({ timestamp, ...message }) => ({ ...message, saidAt: new Date(timestamp) }));
    const last = messages.at(-1);
    if (!last) return "kept";
    if (config.AVATAR_TRANSCRIPT_DAYS > 0) await insertMessages(transaction, sessionId, messages);
    await transaction
      .updateTable("avatar_sessions")
      .set({ last_message_seq: last.seq })
      .where("id", "=", sessionId)
      .execute();
    // Words come from a person, or are said to one, whatever was seen of the room so far.
    const participantCount = session.roomParticipants ?? 0;
    await announceConversation(transaction, events, { session, participantCount, at: new Date(now()) });
    for (const { role, message, saidAt } of messages) {
      const push = { userId, avatarSessionId: sessionId, agentCode, role, message, at: saidAt };
      await events.publish(transaction, "chat.push", push);
    }
    return "kept";
  });
}
