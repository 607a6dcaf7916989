// How many people and programs are in the room of an avatar session.
import type { LiveKitGateway } from "../kernel/livekit/livekit-gateway.ts";
import type { AvatarSession } from "./avatar-session.ts";

/** Participants of the session's room, agents and the avatar included. A caller's own LiveKit server does not tell us; there the
 *  avatar alone is sure. Throws SERVICE_UNAVAILABLE if our own cannot be asked. */
export async function countParticipants(
  livekit: LiveKitGateway,
  session: Pick<AvatarSession, "livekitUrl" | "roomName">,
): Promise<number> {
  return session.livekitUrl === livekit.url ? livekit.countParticipants(session.roomName) : 1;
}
