// The caller's room: joining it with the caller's own token, and noticing every way in which it ends for the avatar.
import { DisconnectReason, ParticipantKind, type RemoteParticipant, Room, RoomEvent } from "@livekit/rtc-node";
import type { AddressRule } from "../../shared/address-rules.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Logger } from "../../shared/log.ts";
import type { EndReason, RoomReport } from "../../shared/runtime-api.ts";
import { checkLivekitUrl } from "./livekit-url.ts";

const DEFAULT_JOIN_TIMEOUT_MS = 10_000;
/** A room that no user ever enters is left after this. */
const DEFAULT_IDLE_TIMEOUT_MS = 600_000;

export interface MediaRoomOptions {
  livekitUrl: string;
  livekitToken: string;
  /** Addresses at which the LiveKit server may be. */
  mayContact: AddressRule;
  logger: Logger;
  /** Told once why the room is over for the avatar; never after `close()`. */
  onEnd(reason: EndReason): void;
  /** Longest wait for the room to take the avatar in, ms. Default 10,000. */
  joinTimeoutMs?: number;
  /** Wait for a first user, ms. Default 600,000. */
  idleTimeoutMs?: number;
}

/** A joined room. Users are standard participants: the avatar stays while one is present. */
export class MediaRoom {
  readonly room: Room;
  readonly #onEnd: (reason: EndReason) => void;
  readonly #logger: Logger;
  #idleTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(room: Room, options: MediaRoomOptions) {
    this.room = room;
    this.#onEnd = options.onEnd;
    this.#logger = options.logger;
    room.on(RoomEvent.Disconnected, (reason) => this.#end(endReasonOf(reason)));
    room.on(RoomEvent.Reconnecting, () => this.#logger.info("media room lost, reconnecting"));
    room.on(RoomEvent.Reconnected, () => this.#logger.info("media room back"));
    room.on(RoomEvent.ParticipantConnected, this.#onJoined);
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
    if (!this.#hasUser()) {
      this.#idleTimer = setTimeout(() => this.#end("last_user_left"), options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS);
    }
  }

  /** What the avatar sees of the room: its participants, itself included, and its age. */
  report(): RoomReport {
    const createdAtS = Math.floor(this.room.creationTime.getTime() / 1000);
    return {
      participants: this.room.remoteParticipants.size + 1,
      // The SDK says 0 while it does not know.
      ...(createdAtS > 0 && { created_at: createdAtS }),
    };
  }

  /** Leaves the room. Idempotent. */
  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#idleTimer);
    await this.room.disconnect();
  }

  #onJoined = (participant: RemoteParticipant): void => {
    if (participant.kind === ParticipantKind.STANDARD) clearTimeout(this.#idleTimer);
  };

  #onLeft = (participant: RemoteParticipant): void => {
    if (participant.kind === ParticipantKind.STANDARD && !this.#hasUser()) this.#end("last_user_left");
  };

  #hasUser(): boolean {
    return [...this.room.remoteParticipants.values()].some(({ kind }) => kind === ParticipantKind.STANDARD);
  }

  #end(reason: EndReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#idleTimer);
    this.#onEnd(reason);
  }
}

/** Joins with auto-subscribe off: the avatar listens to byte streams, not to tracks. Throws ServiceError:
 *  VALIDATION_ERROR for a URL that must not be contacted, UPSTREAM_TIMEOUT and UPSTREAM_ERROR if the room does not
 *  take the avatar in. No message holds the token. */
export async function joinMediaRoom(options: MediaRoomOptions): Promise<MediaRoom> {
  await checkLivekitUrl(options.livekitUrl, options.mayContact);
  const room = new Room();
  const timeoutMs = options.joinTimeoutMs ?? DEFAULT_JOIN_TIMEOUT_MS;
  const joining = room.connect(options.livekitUrl, options.livekitToken, { autoSubscribe: false, dynacast: false });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ServiceError("UPSTREAM_TIMEOUT", `The room did not answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
  });
  try {
    await Promise.race([joining, timeout]);
  } catch (error) {
    if (error instanceof ServiceError) {
      // The native join goes on behind our back; should it succeed after all, the avatar must not linger in the room.
      joining.then(() => room.disconnect()).catch(() => undefined);
      throw error;
    }
    throw new ServiceError("UPSTREAM_ERROR", "The room refused the avatar", { cause: withoutToken(error, options) });
  } finally {
    clearTimeout(timer);
  }
  return new MediaRoom(room, options);
}

/** The SDK's message may repeat the URL with the token in its query. */
function withoutToken(error: unknown, options: MediaRoomOptions): Error {
  const redact = (text: string) =>
    text.replaceAll(options.livekitToken, "[redacted]").replace(/access_token=[^&\s)"]*/g, "[redacted]");
  const copy = new Error(redact(error instanceof Error ? error.message : String(error)));
  if (error instanceof Error && error.stack) copy.stack = redact(error.stack);
  return copy;
}

/** Why a disconnect ends the session. A connection that the SDK could not restore is the worker's loss: the api may
 *  try another. */
function endReasonOf(reason: DisconnectReason): EndReason {
  switch (reason) {
    case DisconnectReason.PARTICIPANT_REMOVED:
    case DisconnectReason.DUPLICATE_IDENTITY:
      return "avatar_removed";
    case DisconnectReason.ROOM_DELETED:
    case DisconnectReason.ROOM_CLOSED:
      return "room_closed";
    default:
      return "worker_lost";
  }
}
