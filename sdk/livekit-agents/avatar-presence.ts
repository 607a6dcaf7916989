// Whether the avatar is in the room and shows video. The agent itself receives none of it: it would keep the avatar's
// encoder awake for a participant that looks at nothing.
import {
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  type Room,
  RoomEvent,
  TrackKind,
} from "@livekit/rtc-node";

export interface AvatarPresenceOptions {
  room: Room;
  identity: string;
  /** The avatar is there, with its video. */
  onReady(): void;
  /** It has left, or the agent has left the room. */
  onLeft(): void;
}

/** Follows the avatar from its making until `close()`. */
export class AvatarPresence {
  readonly #options: AvatarPresenceOptions;
  #isReady = false;

  constructor(options: AvatarPresenceOptions) {
    this.#options = options;
    const { room } = options;
    room.on(RoomEvent.ConnectionStateChanged, this.#update);
    room.on(RoomEvent.ParticipantConnected, this.#update);
    room.on(RoomEvent.TrackPublished, this.#update);
    room.on(RoomEvent.TrackSubscribed, this.#onSubscribed);
    room.on(RoomEvent.ParticipantDisconnected, this.#onParticipantLeft);
    room.on(RoomEvent.Disconnected, this.#onLeft);
    this.#update();
  }

  /** The avatar is in the room and has published its video. */
  get isReady(): boolean {
    return this.#isReady;
  }

  close(): void {
    const { room } = this.#options;
    room.off(RoomEvent.ConnectionStateChanged, this.#update);
    room.off(RoomEvent.ParticipantConnected, this.#update);
    room.off(RoomEvent.TrackPublished, this.#update);
    room.off(RoomEvent.TrackSubscribed, this.#onSubscribed);
    room.off(RoomEvent.ParticipantDisconnected, this.#onParticipantLeft);
    room.off(RoomEvent.Disconnected, this.#onLeft);
    this.#isReady = false;
  }

  #update = (): void => {
    const { room, identity, onReady } = this.#options;
    const publications = [...(room.remoteParticipants.get(identity)?.trackPublications.values() ?? [])];
    for (const publication of publications) publication.setSubscribed(false);
    if (this.#isReady || !publications.some(({ kind }) => kind === TrackKind.KIND_VIDEO)) return;
    this.#isReady = true;
    onReady();
  };

  /** The server had begun before it was told. */
  #onSubscribed = (_track: RemoteTrack, publication: RemoteTrackPublication, { identity }: RemoteParticipant): void => {
    if (identity === this.#options.identity) publication.setSubscribed(false);
  };

  #onParticipantLeft = ({ identity }: RemoteParticipant): void => {
    if (identity === this.#options.identity) this.#onLeft();
  };

  #onLeft = (): void => {
    if (!this.#isReady) return;
    this.#isReady = false;
    this.#options.onLeft();
  };
}
