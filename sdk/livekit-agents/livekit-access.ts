// The room of an avatar as its LiveKit server knows it: the token to join with, and who is removed.
import { AccessToken, RoomServiceClient } from "livekit-server-sdk";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";

/** Attribute of the avatar (LiveKit's own name): which product shows it. */
const ATTRIBUTE_AVATAR_PROVIDER = "lk.avatar_provider";
/** A session lasts a day at most, and another process that takes it over joins with the same token. */
const TOKEN_TTL = "24h";

/** A LiveKit server, and keys that may sign tokens for it. */
export interface LiveKitAccess {
  url: string;
  apiKey: string;
  apiSecret: string;
}

export interface AvatarParticipant {
  roomName: string;
  identity: string;
  name: string;
  provider: string;
  /** Identity of the agent that it speaks for. */
  agentIdentity: string;
}

export function mintJoinToken({ apiKey, apiSecret }: LiveKitAccess, avatar: AvatarParticipant): Promise<string> {
  const { identity, name, roomName } = avatar;
  const token = new AccessToken(apiKey, apiSecret, {
    identity,
    name,
    ttl: TOKEN_TTL,
    attributes: {
      [ATTRIBUTE_PUBLISH_ON_BEHALF]: avatar.agentIdentity,
      [ATTRIBUTE_AVATAR_PROVIDER]: avatar.provider,
    },
  });
  token.kind = "agent";
  token.addGrant({ roomJoin: true, room: roomName });
  return token.toJwt();
}

/** Removes a participant. False if the room has none of this identity. */
export async function removeParticipant(
  { url, apiKey, apiSecret }: LiveKitAccess,
  roomName: string,
  identity: string,
): Promise<boolean> {
  try {
    await new RoomServiceClient(url, apiKey, apiSecret).removeParticipant(roomName, identity);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "not_found") return false;
    throw error;
  }
}
