// A new room with one avatar in it: tokens, launch and end.
import { randomUUID } from "node:crypto";
import { AGENT_NAME } from "../../shared/wire-names.ts";
import { mintRoomToken } from "../service/room-token.ts";
import type { ServiceAccess } from "../start/service/service-access.ts";
import { AvatarListener, type ListenerEvents } from "./avatar-listener.ts";

export interface AvatarRoomOptions {
  service: Pick<ServiceAccess, "client" | "livekit">;
  agentCode: string;
  /** Identity of the participant that sends the avatar's audio. Default: the listener. */
  senderIdentity?: string;
  events: ListenerEvents;
}

export interface AvatarRoom {
  readonly roomName: string;
  readonly avatarIdentity: string;
  readonly listener: AvatarListener;
  /** When the launch was requested, in ms of `performance.now()`. */
  readonly requestedAtMs: number;
  /** Waits until the session is live. Throws Error if it ended or after `timeoutMs`. */
  waitUntilLive(timeoutMs: number): Promise<void>;
  /** A join token (1 h) for another participant of the room. */
  mintToken(identity: string): Promise<string>;
  /** Ends the avatar session and leaves the room. Idempotent. */
  close(): Promise<void>;
}

const LISTENER_IDENTITY = "listener";

/** Joins a fresh room as a listener, then lets the service send the agent's avatar there. */
export async function openAvatarRoom(options: AvatarRoomOptions): Promise<AvatarRoom> {
  const { client, livekit } = options.service;
  const roomName = `demo-${randomUUID()}`;
  const mint = (identity: string, avatarFor?: string) => mintRoomToken(livekit, { roomName, identity, avatarFor });
  const listener = new AvatarListener(AGENT_NAME, options.events);
  await listener.start(livekit.url, await mint(LISTENER_IDENTITY));
  try {
    const livekitToken = await mint(AGENT_NAME, options.senderIdentity ?? LISTENER_IDENTITY);
    const requestedAtMs = performance.now();
    const sessionId = await client.launch({
      agentCode: options.agentCode,
      livekitUrl: livekit.url,
      livekitToken,
      roomName,
    });
    let closing: Promise<void> | null = null;
    return {
      roomName,
      avatarIdentity: AGENT_NAME,
      listener,
      requestedAtMs,
      waitUntilLive: (timeoutMs) => client.waitUntilLive(sessionId, timeoutMs),
      mintToken: (identity) => mint(identity),
      close() {
        closing ??= client.endAvatarSession(sessionId).finally(() => listener.close());
        return closing;
      },
    };
  } catch (error) {
    await listener.close();
    throw error;
  }
}
