// Tells an avatar what this participant needs of its face: video, which then comes at once, or motion, or nothing.
import { parseWatchReply, type WatchNeeds, type WatchReply } from "../../shared/watch.ts";
import { RPC_WATCH } from "../../shared/wire-names.ts";

/** The part of a LiveKit room with which it is told. */
interface CallingRoom {
  readonly localParticipant: {
    performRpc(call: { destinationIdentity: string; method: string; payload: string }): Promise<string>;
  };
}

/** Holds until the next call, until this participant leaves, and until the avatar does. Returns undefined if the avatar
 *  does not answer, such as one of an earlier version, which sends its video to everyone. Never rejects. */
export async function tellNeeds(
  room: CallingRoom,
  avatarIdentity: string,
  needs: WatchNeeds,
): Promise<WatchReply | undefined> {
  try {
    const payload = JSON.stringify({ needs });
    const call = { destinationIdentity: avatarIdentity, method: RPC_WATCH, payload };
    return parseWatchReply(await room.localParticipant.performRpc(call));
  } catch {
    return undefined;
  }
}
