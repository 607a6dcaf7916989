// Opens avatar sessions on a driven service: a new room with a listener and a sender, then the launch.
import { randomUUID } from "node:crypto";
import { AccessToken } from "livekit-server-sdk";
import { startEmbedSession } from "../../../cli/conversation/embed-session.ts";
import { AGENT_NAME, ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../../shared/wire-names.ts";
import type { JoinRequest, SenderCommands } from "../clients/client-messages.ts";
import type { ClientProcess } from "../clients/client-process.ts";
import { sharedNowMs } from "../clients/shared-clock.ts";
import type { DrivenService } from "./own-service.ts";

/** Takes part in a room as a listener: a judge or the audience. */
export interface RoomListener {
  join(request: JoinRequest): Promise<void>;
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
  return tokenFor(service, room, identity, {
    isAgent: avatarFor !== undefined,
    attributes: avatarFor ? { [ATTRIBUTE_PUBLISH_ON_BEHALF]: avatarFor } : undefined,
  });
}

async function tokenFor(
  { livekit }: Pick<DrivenService, "livekit">,
  room: string,
  identity: string,
  { isAgent, attributes }: { isAgent: boolean; attributes?: Record<string, string> },
): Promise<string> {
  const token = new AccessToken(livekit.apiKey, livekit.apiSecret, { identity, ttl: "1h", attributes });
  token.addGrant({ room, roomJoin: true });
  if (isAgent) token.kind = "agent";
  return token.toJwt();
}

/** Opens a session with a sender of `senders`. `needs`: of a listener that takes no video. Throws ApiError if the
 *  launch is refused; the room is empty then. */
export async function openSession(
  service: DrivenService,
  listener: RoomListener,
  senders: ClientProcess<SenderCommands>,
  needs?: JoinRequest["needs"],
): Promise<OpenedSession> {
  const id = randomUUID();
  const roomName = `bench-${id}`;
  const { url } = service.livekit;
  await listener.join({ id, url, token: await mintToken(service, roomName, LISTENER_IDENTITY), needs });
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

/** Opens a session that its viewers render, with a sender of `senders`. Throws Error if the service refuses. */
export async function openLocalSession(
  service: DrivenService,
  listener: RoomListener,
  senders: ClientProcess<SenderCommands>,
): Promise<OpenedSession> {
  const id = randomUUID();
  const { url } = service.livekit;
  const [requestedAtMs, requestedAtUnixMs] = [sharedNowMs(), Date.now()];
  const { sessionId, roomName } = await startEmbedSession(service, { render: "local", greeting: "none" });
  const session = { id, sessionId, roomName, listener, requestedAtMs, requestedAtUnixMs };
  try {
    const token = await mintToken(service, roomName, LISTENER_IDENTITY);
    await listener.join({ id, url, token, needs: "motion" });
    // The avatar's token names no sender: the first agent of the room is it.
    const senderToken = await tokenFor(service, roomName, SENDER_IDENTITY, { isAgent: true });
    await senders.call("join", { id, url, token: senderToken, avatarIdentity: AVATAR_IDENTITY });
    return session;
  } catch (error) {
    await closeSession(service, session, senders);
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
