// Finds the participant that sends the avatar's audio: the participant named in the avatar's join token, else the first
// agent in the room that is not an avatar itself.
import { ParticipantKind, type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import { AGENT_NAME, ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";
import { RoomReturns } from "./room-returns.ts";

/** The server announces a new participant that publishes nothing up to 3 s late, because it batches these updates. */
const LATE_NAMING_MS = 4_000;

/** Follows a connected room from `start()` to `close()`. A bound agent stays bound until it leaves, which it does not
 *  while it may return (`RoomReturns`); then the agent that joined earliest is bound. */
export class SenderBinding {
  readonly #room: Room;
  readonly #namedIdentity: string | undefined;
  readonly #returns: RoomReturns;
  #firstAgentIdentity: string | undefined;

  /** `namedIdentity`: the sender; default: the one that the avatar's join token names. */
  constructor(room: Room, namedIdentity?: string) {
    this.#room = room;
    this.#namedIdentity = namedIdentity || room.localParticipant?.attributes[ATTRIBUTE_PUBLISH_ON_BEHALF] || undefined;
    this.#returns = new RoomReturns({ room, onChange: this.#releaseAbsent });
  }

  /** Once. */
  start(): void {
    const room = this.#room;
    this.#chooseAgent();
    this.#returns.start();
    room.on(RoomEvent.ParticipantConnected, this.#chooseAgent);
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Identity of the bound sender, present or not; undefined if the token names none and no agent is in the room. */
  get identity(): string | undefined {
    return this.#namedIdentity ?? this.#firstAgentIdentity;
  }

  /** Whether the bound sender is in the room. */
  get isPresent(): boolean {
    return this.identity !== undefined && this.#room.remoteParticipants.has(this.identity);
  }

  /** True if this participant drives the avatar. */
  isBound(identity: string): boolean {
    return identity === this.identity;
  }

  /** Like `isBound`, but while no participant is bound it waits until the server announces this one: it may be the
   *  first agent. */
  async becomesBound(identity: string): Promise<boolean> {
    if (this.identity === undefined && !this.#room.remoteParticipants.has(identity)) await this.#appearance(identity);
    return this.isBound(identity);
  }

  close(): void {
    this.#returns.close();
    this.#room.off(RoomEvent.ParticipantConnected, this.#chooseAgent);
    this.#room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Resolves when the participant is announced, or after the longest delay of an announcement. */
  #appearance(identity: string): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#room.off(RoomEvent.ParticipantConnected, onConnected);
        resolve();
      };
      const onConnected = (participant: RemoteParticipant): void => {
        if (participant.identity === identity) finish();
      };
      const timer = setTimeout(finish, LATE_NAMING_MS);
      this.#room.on(RoomEvent.ParticipantConnected, onConnected);
    });
  }

  #chooseAgent = (): void => {
    if (this.#firstAgentIdentity !== undefined) return;
    for (const participant of this.#room.remoteParticipants.values()) {
      if (participant.kind === ParticipantKind.AGENT && !isAvatar(participant)) {
        this.#firstAgentIdentity = participant.identity;
        return;
      }
    }
  };

  #onLeft = ({ identity }: RemoteParticipant): void => {
    if (identity === this.#firstAgentIdentity) this.#releaseAbsent();
  };

  #releaseAbsent = (): void => {
    const identity = this.#firstAgentIdentity;
    if (identity === undefined || this.#returns.state !== "steady" || this.#room.remoteParticipants.has(identity))
      return;
    this.#firstAgentIdentity = undefined;
    this.#chooseAgent();
  };
}

/** Whether a participant is an avatar: it acts for a sender, or has the name that avatars have by default. Several may
 *  be in a room, and none may drive another. */
function isAvatar({ identity, attributes }: RemoteParticipant): boolean {
  return identity === AGENT_NAME || Boolean(attributes[ATTRIBUTE_PUBLISH_ON_BEHALF]);
}
