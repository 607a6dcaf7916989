// Opens avatar sessions on a driven service: a new room with a listener and a sender, then the launch.
import { randomUUID } from "node:crypto";
import { AccessToken } from "livekit-server-sdk";
import { AGENT_NAME, ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../../shared/wire-names.ts";
import type { SenderCommands } from "../clients/client-messages.ts";
import type { ClientProcess } from "../clients/client-process.ts";
import { sharedNowMs } from "../clients/shared-clock.ts";
import type { DrivenService } from "./own-service.ts";

/** Takes part in a room as a listener: a judge or the audience. */
export interface RoomListener {
  join(request: { id: string; url: string; token: string }): Promise<void>;
  leave(id: string): Promise<void>;
}

export interface OpenedSession {
  /** Names its participants in commands to the helper processes. */
  id: string;
  sessionId: string;
  roomName: string;
  listener: RoomListener;
  /** Shared clock, ms. */
  requestedAtMs: number;
  /** Unix time, ms. */
  requestedAtUnixMs: number;
}

export const LISTENER_IDENTITY = "listener";
const SENDER_IDENTITY = "voice-agent";

export const AVATAR_IDENTITY = AGENT_NAME;

/** A join token (1 h) for a participant of a room; an agent's with `avatarFor`, the identity it speaks for. */
export async function mintToken(
  service: Pick<DrivenService, "livekit">,
  room: string,
  identity: string,
  avatarFor?: string,
): Promise<string> {
  const { apiKey, apiSecret } = service.livekit;
  const token = new AccessToken(apiKey, apiSecret, {
    identity,
    ttl: "1h",
    attributes: avatarFor ? { [ATTRIBUTE_PUBLISH_ON_BEHALF]: avatarFor } : undefined,
  });
  token.addGrant({ room, roomJoin: true });
  if (avatarFor) token.kind = "agent";
  return token.toJwt();
}

/** Opens a session with a sender of `senders`. Throws ApiError if the launch is refused; the room is empty
 *  then. */
export async function openSession(
  service: DrivenService,
  listener: RoomListener,
  senders: ClientProcess<SenderCommands>,
): Promise<OpenedSession> {
  const id = randomUUID();
  const roomName = `bench-${id}`;
  const { url } = service.livekit;
  await listener.join({ id, url, token: await mintToken(service, roomName, LISTENER_IDENTITY) });
  const senderToken = await mintToken(service, roomName, SENDER_IDENTITY);
  await senders.call("join", { id, url, token: senderToken, avatarIdentity: AVATAR_IDENTITY });
  const livekitToken = await mintToken(service, roomName, AVATAR_IDENTITY, SENDER_IDENTITY);
  const requestedAtMs = sharedNowMs();
  const requestedAtUnixMs = Date.now();
  try {
    const { agentCode, client } = service;
    const sessionId = await client.launch({ agentCode, livekitUrl: url, livekitToken, roomName });
    return { id, sessionId, roomName, listener, requestedAtMs, requestedAtUnixMs };
  } catch (error) {
    await listener.leave(id);
    await senders.call("leave", { id });
    throw error;
  }
}

/** Ends a session and takes its participants out of the room. A session that has ended already is no error. */
export async function closeSession(
  service: DrivenService,
  session: OpenedSession,
  senders: ClientProcess<SenderCommands>,
): Promise<void> {
  await service.client.endAvatarSession(session.sessionId).catch(() => {}); // Ended already, or the api is down.
  await session.listener.leave(session.id);
  await senders.call("leave", { id: session.id });
}
