// Whose audio drives the avatar: the participant named in the avatar's own join token, else the first agent in the room.
import { ParticipantKind, type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";

/** Follows a connected room. An agent once chosen is kept until it leaves; then the longest present one takes its place. */
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

  /** Identity of the bound sender, present or not; undefined while nobody is named and no agent is in the room. */
  get identity(): string | undefined {
    return this.#namedIdentity ?? this.#firstAgentIdentity;
  }

  /** True if this participant is the one that drives the avatar. */
  isBound(identity: string): boolean {
    return identity === this.identity;
  }

  close(): void {
    this.#room.off(RoomEvent.ParticipantConnected, this.#chooseAgent);
    this.#room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
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
