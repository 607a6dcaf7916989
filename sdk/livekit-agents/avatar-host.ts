// What shows an avatar in a room, wherever it runs.
import type { LiveKitAccess } from "./livekit-access.ts";

/** The room that an avatar joins, and as whom. */
export interface AvatarPlace {
  livekit: LiveKitAccess;
  roomName: string;
  /** Join token of the avatar. */
  livekitToken: string;
}

export interface AvatarHost {
  /** Makes the avatar join. Resolves when that is certain. Can be repeated after a failure. */
  start(place: AvatarPlace, signal: AbortSignal): Promise<void>;
  /** Makes it leave. Rejects if it may still be there. */
  end(): Promise<void>;
}
