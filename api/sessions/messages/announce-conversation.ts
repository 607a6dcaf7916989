// Publishes `room.join` of a conversation.
import type { Transaction } from "kysely";
import type { Tables } from "../../kernel/database/database.ts";
import type { Events } from "../../kernel/events/events.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import "../session-events.ts";

/** The avatar and a person. */
export const LEAST_PARTICIPANTS = 2;

/** Publishes it if the session is a conversation that was not announced before. The session's row must be locked.
 *  Returns when it was published, else null. */
export async function announceConversation(
  transaction: Transaction<Tables>,
  events: Events,
  { session, participantCount, at }: { session: AvatarSession; participantCount: number; at: Date },
): Promise<Date | null> {
  if (!session.hasConversation || session.announcedAt !== null) return null;
  const { id: avatarSessionId, userId, agentCode, roomName } = session;
  await transaction
    .updateTable("avatar_sessions")
    .set({ announced_at: at })
    .where("id", "=", avatarSessionId)
    .execute();
  await events.publish(transaction, "room.join", {
    userId,
    avatarSessionId,
    agentCode,
    roomName,
    at,
    participantCount: Math.max(participantCount, LEAST_PARTICIPANTS),
  });
  return at;
}
