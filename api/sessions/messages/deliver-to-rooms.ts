// Delivers speech, context and typed texts to the rooms where an agent is live.
import { randomUUID } from "node:crypto";
import { ServiceError } from "../../../shared/errors.ts";
import { rpcReplySchema, type TypingMode } from "../../../shared/runtime-api.ts";
import { RPC_ADD_CONTEXT, RPC_SPEAK, RPC_TYPE_TEXT } from "../../../shared/wire-names.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { listRunningOfAgent } from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import { whenReached } from "../workers/when-reached.ts";
import { addContext } from "./context-store.ts";

const RPC_TIMEOUT_MS = 5_000;
/** A worker that is not in its control room may still be on its way there, or come back after a crash: it gets this
 *  long, ms. */
const ARRIVAL_LIMIT_MS = 5_000;

export type RoomMessage =
  /** `emotion`: what the face shows meanwhile; null: nothing. */
  | { kind: "speak"; message: string; emotion: string | null; roomName: string | null }
  | { kind: "add_context"; context: string; roomName: string | null }
  /** The person in front of the avatar typed it. */
  | { kind: "type_text"; text: string; mode: TypingMode; roomName: string | null };

export interface RoomReceipt {
  /** Room names; each targeted room is in exactly one list. */
  delivered: string[];
  /** The session runs, but its avatar is not live yet or has no conversation that accepts context. */
  skipped: string[];
  failed: string[];
}

type Outcome = "delivered" | "skipped" | "failed";

/** Delivers to every live room of an agent, or to one. Throws NOT_FOUND unless at least one room was reached. */
export async function deliverToRooms(
  services: SessionServices,
  agent: { userId: string; code: string },
  message: RoomMessage,
): Promise<RoomReceipt> {
  const running = await listRunningOfAgent(services.database, agent.userId, agent.code);
  const targeted = running.filter((session) => message.roomName === null || session.roomName === message.roomName);
  const live = targeted.filter((session) => session.status === "live");
  const requestId = randomUUID();
  const outcomes = await Promise.all(
    live.map(async (session) => ({
      roomName: session.roomName,
      outcome: await deliverTo(services, session, message, requestId),
    })),
  );
  const roomsWith = (expected: Outcome) =>
    outcomes.filter(({ outcome }) => outcome === expected).map(({ roomName }) => roomName);
  const delivered = new Set(roomsWith("delivered"));
  const failed = new Set(roomsWith("failed").filter((roomName) => !delivered.has(roomName)));
  const skipped = new Set(
    targeted.map(({ roomName }) => roomName).filter((roomName) => !delivered.has(roomName) && !failed.has(roomName)),
  );
  if (delivered.size === 0) {
    const why = whyNot({ targeted: targeted.length, live: live.length, failed: failed.size });
    throw nothingDelivered(agent.code, message.roomName, why);
  }
  return { delivered: [...delivered], skipped: [...skipped], failed: [...failed] };
}

async function deliverTo(
  services: SessionServices,
  session: AvatarSession,
  message: RoomMessage,
  requestId: string,
): Promise<Outcome> {
  if (message.kind === "speak") {
    const { message: text, emotion } = message;
    const request = { message: text, ...(emotion !== null && { emotion }), request_id: requestId };
    return call(services, session.id, RPC_SPEAK, request);
  }
  if (message.kind === "type_text") {
    const { text, mode } = message;
    return call(services, session.id, RPC_TYPE_TEXT, { text, mode, request_id: requestId });
  }
  if (!session.hasConversation) return "skipped";
  const { context } = message;
  const outcome = await call(services, session.id, RPC_ADD_CONTEXT, { context, request_id: requestId });
  if (outcome === "delivered") await addContext(services.database, session.id, context, new Date(services.now()));
  return outcome;
}

async function call(
  { livekit, logger }: SessionServices,
  id: string,
  method: string,
  request: object,
): Promise<Outcome> {
  const payload = JSON.stringify(request);
  try {
    const answer = await whenReached(ARRIVAL_LIMIT_MS, () => livekit.callWorker(id, method, payload, RPC_TIMEOUT_MS));
    const reply: unknown = JSON.parse(answer);
    if (rpcReplySchema.parse(reply).ok) return "delivered";
    // An avatar without a conversation accepts no context, but every avatar can speak.
    return method === RPC_ADD_CONTEXT ? "skipped" : "failed";
  } catch (error) {
    logger.warn({ err: error, avatarSessionId: id, method }, "avatar did not take a message");
    return "failed";
  }
}

/** Why no session was reached, as the end of a sentence. */
function whyNot(count: { targeted: number; live: number; failed: number }): string {
  if (count.failed > 0) return ": the avatar did not answer";
  if (count.live > 0) return ": no conversation is attached that accepts context";
  return count.targeted > 0 ? ": the avatar is still starting" : "";
}

function nothingDelivered(agentCode: string, roomName: string | null, why: string): ServiceError {
  const where = roomName === null ? "" : ` with room_id ${roomName.slice(0, 256)}`;
  return new ServiceError("NOT_FOUND", `No active rooms found for agent ${agentCode}${where}${why}`);
}
