// A visitor of the agent's embed page, without a browser, for floods of a conversation.
import type { Room } from "@livekit/rtc-node";
import { TestRoom } from "../../../../test/helpers/rooms/test-room.ts";
import { type FloodContext, noteAnswer, request } from "../flood.ts";

export interface Visit {
  room: Room;
  /** Leaves. Idempotent. */
  leave(): Promise<void>;
}

/** Joins the room of a new visitor. Null if the session was refused, which is noted, or the flood is over. */
export async function visit(context: FloodContext): Promise<Visit | null> {
  const { target, random, over, answered } = context;
  const fingerprint = Array.from({ length: 32 }, () => random.integer(16).toString(16)).join("");
  const body = { agent_id: target.agentCode, fingerprint };
  const minted = await request(context, "POST", "/v1/embed-tokens/request", body);
  const token = (minted?.data as { token?: string } | undefined)?.token;
  if (!token) return null;
  const response = await fetch(`${target.baseUrl}/embed/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
    signal: over,
  }).catch((error) => {
    if (over.aborted) return null;
    throw error;
  });
  if (!response) return null;
  const session = (await noteAnswer(response, answered)) as { livekit_url?: string; token?: string };
  if (!session.livekit_url || !session.token) return null;
  const room = new TestRoom();
  await room.connect(session.livekit_url, session.token, { autoSubscribe: false, dynacast: false });
  return { room, leave: () => room.disconnect() };
}
