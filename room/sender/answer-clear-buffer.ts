// Answers `lk.clear_buffer`, with which a sender interrupts its avatar.
import type { Room } from "@livekit/rtc-node";
import { RPC_CLEAR_BUFFER } from "../../shared/wire-names.ts";
import type { SenderBinding } from "../participants/sender-binding.ts";

export interface ClearBufferOptions {
  room: Room;
  binding: Pick<SenderBinding, "isBound">;
  /** Empties everything that is queued or playing. */
  clear(): void;
}

/** Registers the method. It answers at once. */
export function answerClearBuffer({ room, binding, clear }: ClearBufferOptions): void {
  room.localParticipant?.registerRpcMethod(RPC_CLEAR_BUFFER, async ({ callerIdentity }) => {
    // Every participant can call this; only the bound sender may interrupt the avatar.
    if (!binding.isBound(callerIdentity)) return "ignored";
    clear();
    return "ok";
  });
}
