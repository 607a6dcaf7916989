// Counts the participants in the room of an avatar session.
import type { LiveKitGateway } from "../../kernel/livekit/livekit-gateway.ts";
import type { AvatarSession } from "../record/avatar-session.ts";

/** Participants of the session's room, agents and the avatar included. Our own LiveKit server is asked. On a caller's
 *  own server the avatar's last report counts: join tokens seldom allow listing participants. Before the first report
 *  it is 1. Throws SERVICE_UNAVAILABLE if our own server does not answer. */
export async function countParticipants(
  livekit: LiveKitGateway,
  session: Pick<AvatarSession, "livekitUrl" | "roomName" | "roomParticipants">,
): Promise<number> {
  if (session.livekitUrl === livekit.url) return livekit.countParticipants(session.roomName);
  return session.roomParticipants ?? 1;
}
