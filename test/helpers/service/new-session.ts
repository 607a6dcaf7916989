// The record of an avatar session of a test, as an admission inserts it.
import { randomBytes } from "node:crypto";
import type { NewAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";

/** A session of essence-2 in a room that is not ours, without agent and conversation, but for `fields`. */
export function newSession(fields: Pick<NewAvatarSession, "userId"> & Partial<NewAvatarSession>): NewAvatarSession {
  const id = `cs_${randomBytes(12).toString("hex")}`;
  return {
    id,
    secretId: null,
    launchTokenId: null,
    transactionId: null,
    agentCode: null,
    model: "essence-2",
    family: "essence-2",
    mode: "gpu",
    portraitKey: null,
    isSelfHosted: false,
    isHosted: false,
    endUserId: null,
    hasConversation: false,
    remembersVisitor: false,
    viewersMayRender: false,
    viewersRender: false,
    livekitUrl: "wss://rooms.example",
    roomName: `room-${id}`,
    avatarIdentity: "avatar",
    sealedLivekitToken: null,
    createdAt: new Date(),
    ...fields,
  };
}
