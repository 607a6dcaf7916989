// The RPC methods that the avatar answers in its room.
import type { Room } from "@livekit/rtc-node";
import { AGENT_NAME, RPC_CLEAR_BUFFER, RPC_TRIGGER_DYNAMICS } from "../../shared/wire-names.ts";
import type { SenderBinding } from "./sender-binding.ts";

export interface RoomRpcOptions {
  room: Room;
  binding: SenderBinding;
  /** Empties everything that is queued or playing. */
  clear(): void;
  /** Plays a gesture; returns false if no gesture has that name. */
  trigger(gesture: string): boolean;
}

/** Everyone in the room may trigger gestures: more often than this, ms, none is started. A gesture takes a second. */
const GESTURE_INTERVAL_MS = 250;

/** Registers `lk.clear_buffer` and `trigger_dynamics`. Both answer at once and never throw. */
export function registerRoomRpc(options: RoomRpcOptions): void {
  const { room, binding, clear, trigger } = options;
  let gestureAtMs = Number.NEGATIVE_INFINITY;
  /** Starts a gesture, unless one has just begun. */
  const gesture = (action: string): boolean => {
    const nowMs = performance.now();
    if (action === "" || nowMs - gestureAtMs < GESTURE_INTERVAL_MS || !trigger(action)) return false;
    gestureAtMs = nowMs;
    return true;
  };
  room.localParticipant?.registerRpcMethod(RPC_CLEAR_BUFFER, async ({ callerIdentity }) => {
    // Every participant can call this; only the bound sender may interrupt the avatar.
    if (!binding.isBound(callerIdentity)) return "ignored";
    clear();
    return "ok";
  });
  room.localParticipant?.registerRpcMethod(RPC_TRIGGER_DYNAMICS, async ({ payload }) => {
    const action = parseAction(payload);
    return JSON.stringify({ action, animation_triggered: gesture(action), status: "success", service: AGENT_NAME });
  });
}

/** The `action` of a payload; empty if the payload has no such field, because by contract an unknown action is not an
 *  error. */
function parseAction(payload: string): string {
  try {
    const parsed: unknown = JSON.parse(payload);
    const action = typeof parsed === "object" && parsed !== null && "action" in parsed ? parsed.action : "";
    return typeof action === "string" ? action.slice(0, 100) : "";
  } catch {
    return "";
  }
}
