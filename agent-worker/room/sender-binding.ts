// The participant that drives the avatar with its audio: the participant named in the avatar's own join token, else
// the first agent in the room.
import { ParticipantKind, type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";

/** The server names a new participant that publishes nothing up to 3 s late (it batches such updates). */
const LATE_NAMING_MS = 4_000;

/** Follows a connected room. An agent once chosen is kept until it leaves; then the longest present one takes its
 *  place. */
export class SenderBinding {
  readonly #room: Room;
  readonly #namedIdentity: string | undefined;
  #firstAgentIdentity: string | undefined;

  constructor(room: Room) {
    this.#room = room;
    this.#namedIdentity = room.localParticipant?.attributes[ATTRIBUTE_PUBLISH_ON_BEHALF] || undefined;
    this.#chooseAgent();
    room.on(RoomEvent.ParticipantConnected, this.#chooseAgent);
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Identity of the bound sender, present or not; undefined if the token names none and no agent is in the room. */
  get identity(): string | undefined {
    return this.#namedIdentity ?? this.#firstAgentIdentity;
  }

  /** True if this participant is the one that drives the avatar. */
  isBound(identity: string): boolean {
    return identity === this.identity;
  }

  /** Like `isBound`, but waits for a participant that the server has not announced yet while none is bound: it may be
   *  the first agent. */
  async becomesBound(identity: string): Promise<boolean> {
    if (this.identity === undefined && !this.#room.remoteParticipants.has(identity)) await this.#appearance(identity);
    return this.isBound(identity);
  }

  close(): void {
    this.#room.off(RoomEvent.ParticipantConnected, this.#chooseAgent);
    this.#room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Resolves when the participant appears, or after the longest time that this can take. */
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
      if (participant.kind === ParticipantKind.AGENT) {
        this.#firstAgentIdentity = participant.identity;
        return;
      }
    }
  };

  #onLeft = (participant: RemoteParticipant): void => {
    if (participant.identity !== this.#firstAgentIdentity) return;
    this.#firstAgentIdentity = undefined;
    this.#chooseAgent();
  };
}
