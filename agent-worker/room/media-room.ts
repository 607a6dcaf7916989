// The caller's room: joins it with the caller's token and detects every way in which it ends for the avatar. Users are
// standard participants. Who is in the room decides how long the avatar stays:
//
//   awaiting  no user has come yet                                    → occupied, vacant, over after the idle timeout
//   occupied  a user is there                                         → vacant, over
//   vacant    the last user has left; or, before any user has come,   → occupied, awaiting (the sender is back),
//             the sender that was there has left                        over after the leave grace
//   over      the room has ended for the avatar, or it has left       (final)
//
// A lost room, or `close()`, ends every state.
import { DisconnectReason, ParticipantKind, type RemoteParticipant, Room, RoomEvent } from "@livekit/rtc-node";
import type { Logger } from "../../program/log.ts";
import type { AddressRule } from "../../program/outgoing/address-rules.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { connectInTime } from "../../room/participants/connect-in-time.ts";
import { type ReturnState, RoomReturns } from "../../room/participants/room-returns.ts";
import { SenderBinding } from "../../room/participants/sender-binding.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { EndReason, RoomReport } from "../../shared/runtime-api.ts";
import { checkLivekitUrl } from "./check-livekit-url.ts";

const DEFAULT_JOIN_TIMEOUT_MS = 10_000;
/** The avatar leaves a room that no user enters within this time. */
const DEFAULT_IDLE_TIMEOUT_MS = 600_000;
/** The avatar leaves a vacant room after this. A page that is loaded again, or a user who was cut off, finds the
 *  avatar where it was. */
const DEFAULT_LEAVE_GRACE_MS = 3_000;

export interface MediaRoomOptions {
  livekitUrl: string;
  livekitToken: string;
  /** Addresses at which the LiveKit server may be. */
  mayContact: AddressRule;
  logger: Logger;
  /** Called once with the reason why the room ended for the avatar; never after `close()`. */
  onEnd(reason: EndReason): void;
  /** Called when the room becomes vacant, and when it no longer is. Default: not told. */
  onVacancy?(isVacant: boolean): void;
  /** Timeout for joining, ms. Default 10,000. */
  joinTimeoutMs?: number;
  /** Timeout for the first user to join, ms. Default 600,000. */
  idleTimeoutMs?: number;
  /** Whether that time begins again with audio for the avatar: it may speak for participants that are no users, such as
   *  telephone callers and recorders. Default false. */
  staysForAudio?: boolean;
  /** How long the avatar stays in a vacant room, ms. Default 3,000. */
  leaveGraceMs?: number;
  /** How long users may take to return after the avatar's own connection was restored, ms. Default 20,000. */
  returnLimitMs?: number;
}

type Presence = "awaiting" | "occupied" | "vacant";
type MediaRoomState = Presence | "over";

const MOVES = defineMoves<MediaRoomState>({
  awaiting: ["occupied", "vacant", "over"],
  occupied: ["vacant", "over"],
  vacant: ["occupied", "awaiting", "over"],
  over: [],
});

/** A joined room, from `start()` to `close()`. */
export class MediaRoom {
  readonly room: Room;
  readonly #state = new StateMachine(MOVES, "awaiting");
  readonly #onEnd: (reason: EndReason) => void;
  readonly #onVacancy: (isVacant: boolean) => void;
  readonly #logger: Logger;
  readonly #leaveGraceMs: number;
  readonly #idleTimeoutMs: number;
  readonly #staysForAudio: boolean;
  readonly #returns: RoomReturns;
  readonly #sender: SenderBinding;
  /** Runs while no user is present, except while users may return. */
  #timer: NodeJS.Timeout | undefined;
  #hasHadUser = false;
  #hasHadSender = false;

  constructor(room: Room, options: MediaRoomOptions) {
    this.room = room;
    this.#onEnd = options.onEnd;
    this.#onVacancy = options.onVacancy ?? (() => undefined);
    this.#logger = options.logger;
    this.#leaveGraceMs = options.leaveGraceMs ?? DEFAULT_LEAVE_GRACE_MS;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;
    this.#staysForAudio = options.staysForAudio ?? false;
    this.#sender = new SenderBinding(room);
    const { returnLimitMs: limitMs } = options;
    this.#returns = new RoomReturns({ room, limitMs, onChange: (state) => this.#onReturns(state) });
  }

  /** Looks who is there, and follows who comes and goes. Once. */
  start(): void {
    const { room } = this;
    room.on(RoomEvent.Disconnected, (reason) => this.#end(endReasonOf(reason)));
    room.on(RoomEvent.Reconnecting, () => this.#logger.info("media room connection lost, reconnecting"));
    room.on(RoomEvent.Reconnected, () => this.#logger.info("media room reconnected"));
    // First, so that it knows of a participant before this does.
    this.#sender.start();
    room.on(RoomEvent.ParticipantConnected, this.#onJoined);
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
    this.#returns.start();
    this.#endAfter(this.#idleTimeoutMs);
    this.#look();
  }

  get isVacant(): boolean {
    return this.#state.is("vacant");
  }

  /** What the avatar sees of the room: its participants, itself included, and its age. */
  report(): RoomReport {
    const createdAtS = Math.floor(this.room.creationTime.getTime() / 1000);
    return {
      participants: this.room.remoteParticipants.size + 1,
      // The SDK returns 0 while the value is unknown.
      ...(createdAtS > 0 && { created_at: createdAtS }),
    };
  }

  /** Audio for the avatar has begun or ended. */
  noteAudio(): void {
    if (this.#staysForAudio && this.#state.is("awaiting")) this.#endAfter(this.#idleTimeoutMs);
  }

  /** Leaves the room. Idempotent. */
  async close(): Promise<void> {
    this.#finish();
    await this.room.disconnect();
  }

  #onJoined = ({ kind }: RemoteParticipant): void => {
    if (kind === ParticipantKind.STANDARD || this.#returns.state === "steady") this.#look();
  };

  #onLeft = (): void => {
    if (this.#returns.state === "steady") this.#look();
  };

  #look = (): void => {
    if (this.#state.is("over")) return;
    const hasUser = this.#hasUser();
    this.#hasHadUser ||= hasUser;
    this.#hasHadSender ||= this.#sender.isPresent;
    const isLeft = this.#hasHadUser || (this.#hasHadSender && !this.#sender.isPresent);
    this.#enter(hasUser ? "occupied" : isLeft ? "vacant" : "awaiting");
  };

  #enter(presence: Presence): void {
    const before = this.#state.current;
    if (presence === before) return;
    this.#state.enter(presence);
    clearTimeout(this.#timer);
    if (presence !== "occupied") this.#endAfter(presence === "vacant" ? this.#leaveGraceMs : this.#idleTimeoutMs);
    if ((presence === "vacant") !== (before === "vacant")) this.#onVacancy(presence === "vacant");
  }

  /** While participants may return, only a room that awaits its first user keeps its time limit. */
  #onReturns(state: ReturnState): void {
    if (state !== "steady") {
      if (!this.#state.is("awaiting")) clearTimeout(this.#timer);
      return;
    }
    this.#look();
    if (this.isVacant) this.#end("last_user_left");
  }

  #endAfter(timeoutMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("last_user_left"), timeoutMs);
  }

  #hasUser(): boolean {
    return [...this.room.remoteParticipants.values()].some(({ kind }) => kind === ParticipantKind.STANDARD);
  }

  #end(reason: EndReason): void {
    if (this.#state.is("over")) return;
    this.#finish();
    this.#onEnd(reason);
  }

  #finish(): void {
    if (!this.#state.is("over")) this.#state.enter("over");
    clearTimeout(this.#timer);
    this.#returns.close();
    this.#sender.close();
  }
}

/** Joins with auto-subscribe off: the avatar receives byte streams, not tracks. Throws ServiceError: VALIDATION_ERROR
 *  for a URL that must not be contacted, UPSTREAM_TIMEOUT or UPSTREAM_ERROR if the room cannot be joined. No message
 *  contains the token. */
export async function joinMediaRoom(options: MediaRoomOptions): Promise<MediaRoom> {
  await checkLivekitUrl(options.livekitUrl, options.mayContact);
  const room = new Room();
  const timeoutMs = options.joinTimeoutMs ?? DEFAULT_JOIN_TIMEOUT_MS;
  try {
    await connectInTime(room, options.livekitUrl, options.livekitToken, timeoutMs);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("UPSTREAM_ERROR", "The LiveKit server refused the avatar's connection", {
      cause: withoutToken(error, options),
    });
  }
  const mediaRoom = new MediaRoom(room, options);
  mediaRoom.start();
  return mediaRoom;
}

/** Removes the token: the SDK's message may repeat the URL with its query, which contains it. */
function withoutToken(error: unknown, options: MediaRoomOptions): Error {
  const redact = (text: string) =>
    text.replaceAll(options.livekitToken, "[redacted]").replace(/access_token=[^&\s)"]*/g, "[redacted]");
  const copy = new Error(redact(error instanceof Error ? error.message : String(error)));
  if (error instanceof Error && error.stack) copy.stack = redact(error.stack);
  return copy;
}

/** Why a disconnect ends the session. If the SDK could not restore the connection, the api may dispatch the session to
 *  another worker. */
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
