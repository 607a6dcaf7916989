// Detects whether a user in the room is speaking, so that the avatar can show that it listens.
//
// The server reports active speakers only for subscribed tracks, so the avatar subscribes to the microphones of a few
// users. It does not read their audio.
import {
  type Participant,
  ParticipantKind,
  type RemoteParticipant,
  type RemoteTrackPublication,
  type Room,
  RoomEvent,
  TrackSource,
} from "@livekit/rtc-node";

/** Most microphones subscribed at a time; each costs about 1 % of a core. Further users are ignored until one of these
 *  leaves. */
const MICROPHONE_LIMIT = 4;

export interface OtherSpeakersOptions {
  /** The room, connected as the avatar participant. */
  room: Room;
  /** Called when the first user begins to speak, and when the last one stops. */
  onChange(isSomeoneSpeaking: boolean): void;
}

/** Follows a room from `start()` to `close()`. */
export class OtherSpeakers {
  readonly #room: Room;
  readonly #onChange: (isSomeoneSpeaking: boolean) => void;
  /** Sids of the subscribed publications. */
  readonly #taken = new Set<string>();
  #isSomeoneSpeaking = false;

  constructor({ room, onChange }: OtherSpeakersOptions) {
    this.#room = room;
    this.#onChange = onChange;
  }

  /** Once. */
  start(): void {
    this.#room.on(RoomEvent.TrackPublished, this.#take);
    this.#room.on(RoomEvent.TrackUnpublished, this.#forget);
    this.#room.on(RoomEvent.ActiveSpeakersChanged, this.#onSpeakers);
    this.#takeAll();
  }

  /** Stops following. Idempotent. */
  close(): void {
    this.#room.off(RoomEvent.TrackPublished, this.#take);
    this.#room.off(RoomEvent.TrackUnpublished, this.#forget);
    this.#room.off(RoomEvent.ActiveSpeakersChanged, this.#onSpeakers);
  }

  #takeAll(): void {
    for (const participant of this.#room.remoteParticipants.values()) {
      for (const publication of participant.trackPublications.values()) this.#take(publication, participant);
    }
  }

  #take = (publication: RemoteTrackPublication, participant: RemoteParticipant): void => {
    const isMicrophone = publication.source === TrackSource.SOURCE_MICROPHONE;
    if (!isMicrophone || participant.kind !== ParticipantKind.STANDARD || this.#taken.size >= MICROPHONE_LIMIT) return;
    this.#taken.add(publication.sid ?? "");
    publication.setSubscribed(true);
  };

  #forget = (publication: RemoteTrackPublication): void => {
    if (this.#taken.delete(publication.sid ?? "")) this.#takeAll();
  };

  #onSpeakers = (speakers: Participant[]): void => {
    const isSomeoneSpeaking = speakers.some((speaker) => speaker.kind === ParticipantKind.STANDARD);
    if (isSomeoneSpeaking === this.#isSomeoneSpeaking) return;
    this.#isSomeoneSpeaking = isSomeoneSpeaking;
    this.#onChange(isSomeoneSpeaking);
  };
}
