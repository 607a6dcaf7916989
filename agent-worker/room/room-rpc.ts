// The RPC methods that the avatar answers in its room.
import type { Room } from "@livekit/rtc-node";
import { AGENT_NAME, RPC_CLEAR_BUFFER, RPC_TRIGGER_DYNAMICS } from "../../shared/wire-names.ts";
import type { SenderBinding } from "./sender-binding.ts";

export interface RoomRpcOptions {
  room: Room;
  binding: SenderBinding;
  /** Empties everything that is queued or playing. */
  clear(): void;
  /** Plays a gesture; false if there is none of that name. */
  trigger(gesture: string): boolean;
}

/** Registers `lk.clear_buffer` and `trigger_dynamics`. Both always answer at once; neither throws. */
export function registerRoomRpc(options: RoomRpcOptions): void {
  const { room, binding, clear, trigger } = options;
  room.localParticipant?.registerRpcMethod(RPC_CLEAR_BUFFER, async ({ callerIdentity }) => {
    // Anyone in the room can call; only the bound sender may cut the avatar off.
    if (!binding.isBound(callerIdentity)) return "ignored";
    clear();
    return "ok";
  });
  room.localParticipant?.registerRpcMethod(RPC_TRIGGER_DYNAMICS, async ({ payload }) => {
    const action = parseAction(payload);
    const isTriggered = action !== "" && trigger(action);
    return JSON.stringify({ action, animation_triggered: isTriggered, status: "success", service: AGENT_NAME });
  });
}

/** The `action` of a payload; empty for anything that is not such an object: by contract an unknown action is no
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
