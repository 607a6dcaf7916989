// The microphone of the person that the avatar talks with, as audio of 16 kHz.
import {
  AudioStream,
  type RemoteTrack,
  type RemoteTrackPublication,
  type Room,
  RoomEvent,
  TrackSource,
} from "@livekit/rtc-node";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";

/** Length of the blocks, ms. */
const BLOCK_MS = 20;

export interface PersonMicrophoneOptions {
  /** Connected. */
  room: Room;
  /** `samples`: 20 ms, mono at 16 kHz. The receiver may keep them. */
  onAudio(samples: Int16Array): void;
  /** The microphone was muted, unpublished, or is another one. */
  onLost(): void;
}

/** One microphone at a time. Follows the room from `start()` to `close()`. */
export class PersonMicrophone {
  readonly #options: PersonMicrophoneOptions;
  #identity: string | undefined;
  #publication: RemoteTrackPublication | undefined;
  #stream: AudioStream | undefined;

  constructor(options: PersonMicrophoneOptions) {
    this.#options = options;
  }

  /** Follows the room. Once. */
  start(): void {
    this.#options.room
      .on(RoomEvent.TrackPublished, this.#look)
      .on(RoomEvent.TrackUnpublished, this.#onUnpublished)
      .on(RoomEvent.TrackSubscribed, this.#onSubscribed)
      .on(RoomEvent.TrackMuted, this.#onMuted);
  }

  /** Sid of its track, which transcriptions name; undefined without a microphone. */
  get trackSid(): string | undefined {
    return this.#publication?.sid;
  }

  /** Listens to this person from now on; undefined: to no one. */
  follow(identity: string | undefined): void {
    if (identity === this.#identity) return;
    this.#identity = identity;
    this.#leave();
    this.#look();
  }

  /** Idempotent. */
  close(): void {
    this.#options.room
      .off(RoomEvent.TrackPublished, this.#look)
      .off(RoomEvent.TrackUnpublished, this.#onUnpublished)
      .off(RoomEvent.TrackSubscribed, this.#onSubscribed)
      .off(RoomEvent.TrackMuted, this.#onMuted);
    this.#leave();
  }

  #look = (): void => {
    if (this.#identity === undefined || this.#publication) return;
    const person = this.#options.room.remoteParticipants.get(this.#identity);
    const publications = [...(person?.trackPublications.values() ?? [])];
    this.#publication = publications.find(({ source }) => source === TrackSource.SOURCE_MICROPHONE);
    this.#publication?.setSubscribed(true);
    // Another part of the session may have subscribed before.
    if (this.#publication?.track) this.#listen(this.#publication.track);
  };

  #onSubscribed = (track: RemoteTrack, publication: RemoteTrackPublication): void => {
    if (publication.sid === this.#publication?.sid) this.#listen(track);
  };

  #onUnpublished = (publication: RemoteTrackPublication): void => {
    if (publication.sid !== this.#publication?.sid) return;
    this.#leave();
    this.#look();
  };

  #onMuted = (publication: { sid?: string }): void => {
    if (publication.sid === this.#publication?.sid) this.#options.onLost();
  };

  #listen(track: RemoteTrack): void {
    if (this.#stream) return;
    const stream = new AudioStream(track, {
      sampleRate: SPEECH_SAMPLE_RATE_HZ,
      numChannels: 1,
      frameSizeMs: BLOCK_MS,
    });
    this.#stream = stream;
    void this.#read(stream);
  }

  async #read(stream: AudioStream): Promise<void> {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#stream !== stream) return;
        this.#options.onAudio(value.data);
      }
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  #leave(): void {
    const had = this.#publication !== undefined;
    this.#publication = undefined;
    this.#stream = undefined;
    if (had) this.#options.onLost();
  }
}
