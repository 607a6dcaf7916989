// A real LiveKit server for the length of a callback, with a room name that no other test uses.
import { randomUUID } from "node:crypto";
import { AccessToken, RoomServiceClient, type VideoGrant } from "livekit-server-sdk";
import { type LiveKitAccess, useLiveKit } from "./use-livekit.ts";

export interface TestLiveKit extends LiveKitAccess {
  /** A fresh room name. */
  roomName: string;
  /** Calls of the server's own API. */
  rooms: RoomServiceClient;
  /** A join token (1 h) for `roomName`, with what `grant` adds; `attributes` travel in it. */
  mintToken(
    identity: string,
    options?: { grant?: VideoGrant; attributes?: Record<string, string>; kind?: "standard" | "agent" },
  ): Promise<string>;
}

/** Gives `work` the shared livekit-server and a room name of its own; the room is deleted afterwards. */
export async function withLiveKit<T>(work: (test: TestLiveKit) => Promise<T>): Promise<T> {
  const access = await useLiveKit();
  const { url, apiKey, apiSecret } = access;
  const rooms = new RoomServiceClient(url.replace(/^ws/, "http"), apiKey, apiSecret);
  const roomName = `test-${randomUUID()}`;
  const mintToken: TestLiveKit["mintToken"] = (identity, options = {}) => {
    const token = new AccessToken(apiKey, apiSecret, { identity, ttl: "1h", attributes: options.attributes });
    token.addGrant({ room: roomName, roomJoin: true, ...options.grant });
    if (options.kind) token.kind = options.kind;
    return token.toJwt();
  };
  try {
    return await work({ ...access, roomName, rooms, mintToken });
  } finally {
    await rooms.deleteRoom(roomName).catch(() => {}); // The room may never have been opened, or have closed by itself.
  }
}
