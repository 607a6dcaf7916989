// Keeps the messages of a conversation and tells their owner of each, once and in order.

import { assertFreeSpace } from "../../../program/files/free-space.ts";
import { messageBytes } from "../../../shared/message-limits.ts";
import type { SessionMessage } from "../../../shared/runtime-api.ts";
import { isLivingAgent } from "../../agents/record/agent-store.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { findAvatarSession } from "../record/avatar-session-store.ts";
import type { SessionServices } from "../session-services.ts";
import { announceConversation } from "./announce-conversation.ts";
import { budgetMessages } from "./message-budget.ts";
import { insertMessages } from "./message-store.ts";
import "./message-events.ts";

/** How a report of messages ended: `superseded` if another worker runs the session now. */
export type MessagesResult = "kept" | "superseded" | "no-conversation" | "agent-deleted";

type Services = Pick<SessionServices, "database" | "events" | "config" | "sessionMetrics" | "logger" | "now">;

/** Takes messages of the worker that runs the session. Those that were reported before are left out. Those over the
 *  bounds (`message-budget.ts`) are neither stored nor told, and counted. With a retention of 0 days nothing is stored,
 *  and the owner is told all the same. Throws SERVICE_UNAVAILABLE if the disk is nearly full. */
export async function keepMessages(
  services: Services,
  { session: { id, agentCode }, dispatchNumber }: { session: AvatarSession; dispatchNumber: number },
  reported: readonly SessionMessage[],
): Promise<MessagesResult> {
  const { database, events, config, sessionMetrics, logger } = services;
  const now = new Date(services.now());
  const reportedBytes = reported.reduce((sum, message) => sum + messageBytes(message), 0);
  await assertFreeSpace(config.disk.dataDir, config.disk.minFreeBytes, reportedBytes);
  return database.transaction().execute(async (transaction) => {
    // A deletion waits until these messages are stored, and then deletes them. It locks the agent first, too.
    if (agentCode !== null && !(await isLivingAgent(transaction, agentCode))) return "agent-deleted";
    // The lock puts reports that arrive at the same time in order.
    const session = await findAvatarSession(transaction, id, { lock: true });
    if (!session?.hasConversation) return "no-conversation";
    if (session.dispatchNumber !== dispatchNumber) return "superseded";
    const { userId, lastMessageSeq } = session;
    const messages = reported
      .filter(({ seq }) => seq > lastMessageSeq)
      .sort((left, right) => left.seq - right.seq)
      .map(({ timestamp, ...message }) => ({ ...message, saidAt: new Date(timestamp) }));
    const last = messages.at(-1);
    if (!last) return "kept";
    await transaction.updateTable("avatar_sessions").set({ last_message_seq: last.seq }).where("id", "=", id).execute();
    const { kept, cause } = await budgetMessages(transaction, session, messages, now);
    if (cause !== null) {
      const dropped = messages.length - kept.length;
      sessionMetrics.countDroppedMessages(cause, dropped);
      logger.warn({ avatarSessionId: id, cause, dropped }, "messages of a conversation dropped: too many");
    }
    if (kept.length === 0) return "kept";
    if (config.retention.transcriptMs > 0) await insertMessages(transaction, id, kept);
    // Words come from a person, or are said to one, whatever was seen of the room so far.
    const participantCount = session.roomParticipants ?? 0;
    await announceConversation(transaction, events, { session, participantCount, at: now });
    for (const { role, message, saidAt } of kept) {
      const push = { userId, avatarSessionId: id, agentCode, role, message, at: saidAt };
      await events.publish(transaction, "chat.push", push);
    }
    return "kept";
  });
}
