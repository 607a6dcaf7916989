// Join tokens for rooms of the service's LiveKit server.
import { AccessToken } from "livekit-server-sdk";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";

export interface RoomTokenOptions {
  roomName: string;
  identity: string;
  /** Identity of the participant that the token's avatar speaks for. Undefined: the token is of no avatar. */
  avatarFor?: string;
}

/** A token with which one participant joins one room within an hour. */
export function mintRoomToken(
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
  { roomName, identity, avatarFor }: RoomTokenOptions,
): Promise<string> {
  const attributes = avatarFor === undefined ? undefined : { [ATTRIBUTE_PUBLISH_ON_BEHALF]: avatarFor };
  const token = new AccessToken(apiKey, apiSecret, { identity, ttl: "1h", attributes });
  token.addGrant({ room: roomName, roomJoin: true });
  if (avatarFor !== undefined) token.kind = "agent";
  return token.toJwt();
}
