// The person that the avatar talks with: the first standard participant in the room, and the next one when they leave.
import { ParticipantKind, type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";

export interface LinkedPersonOptions {
  /** Connected. */
  room: Room;
  /** Another person is linked, or none. */
  onChange(identity: string | undefined): void;
}

/** Follows a room from `start()` to `close()`. */
export class LinkedPerson {
  readonly #room: Room;
  readonly #onChange: (identity: string | undefined) => void;
  #identity: string | undefined;

  constructor({ room, onChange }: LinkedPersonOptions) {
    this.#room = room;
    this.#onChange = onChange;
  }

  /** Links the person who is in the room already, and follows the room. Once. */
  start(): void {
    this.#room.on(RoomEvent.ParticipantConnected, this.#onJoined);
    this.#room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
    this.#choose();
  }

  /** Undefined while no person is in the room. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** Idempotent. */
  close(): void {
    this.#room.off(RoomEvent.ParticipantConnected, this.#onJoined);
    this.#room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  #onJoined = (): void => {
    if (this.#identity === undefined) this.#choose();
  };

  #onLeft = ({ identity }: RemoteParticipant): void => {
    if (identity === this.#identity) this.#choose();
  };

  #choose(): void {
    const people = [...this.#room.remoteParticipants.values()];
    const identity = people.find(({ kind }) => kind === ParticipantKind.STANDARD)?.identity;
    if (identity === this.#identity) return;
    this.#identity = identity;
    this.#onChange(identity);
  }
}
