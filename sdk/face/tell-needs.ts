// Tells an avatar what this participant needs of its face: video, which then comes at once.
import type { WatchRequest } from "../../shared/watch.ts";
import { RPC_WATCH } from "../../shared/wire-names.ts";

/** The part of a LiveKit room with which it is told. */
interface CallingRoom {
  readonly localParticipant: {
    performRpc(call: { destinationIdentity: string; method: string; payload: string }): Promise<string>;
  };
}

/** Holds until the next call, until this participant leaves, and until the avatar does. An avatar that does not answer,
 *  such as one of an earlier version, sends its video to every subscriber anyway. Never throws. */
export function tellNeeds(room: CallingRoom, avatarIdentity: string, { needs }: WatchRequest): void {
  const call = { destinationIdentity: avatarIdentity, method: RPC_WATCH, payload: JSON.stringify({ needs }) };
  room.localParticipant.performRpc(call).catch(() => undefined);
}
