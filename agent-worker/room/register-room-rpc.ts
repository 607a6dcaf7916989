// The RPC methods that the avatar answers in its room.
import type { Room } from "@livekit/rtc-node";
import type { SenderBinding } from "../../room/participants/sender-binding.ts";
import { RPC_CLEAR_BUFFER, RPC_TRIGGER_DYNAMICS } from "../../shared/wire-names.ts";
import type { RoomGestures } from "./room-gestures.ts";

export interface RoomRpcOptions {
  room: Room;
  binding: SenderBinding;
  /** Empties everything that is queued or playing. */
  clear(): void;
  gestures: Pick<RoomGestures, "perform">;
}

/** Registers `lk.clear_buffer` and `trigger_dynamics`. Both answer at once and never throw. */
export function registerRoomRpc({ room, binding, clear, gestures }: RoomRpcOptions): void {
  room.localParticipant?.registerRpcMethod(RPC_CLEAR_BUFFER, async ({ callerIdentity }) => {
    // Every participant can call this; only the bound sender may interrupt the avatar.
    if (!binding.isBound(callerIdentity)) return "ignored";
    clear();
    return "ok";
  });
  room.localParticipant?.registerRpcMethod(RPC_TRIGGER_DYNAMICS, async ({ payload }) => gestures.perform(payload));
}
