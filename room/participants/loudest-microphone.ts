// What is heard of the users in a room: phrases in the microphone of the loudest one. The audio is read in memory, and
// goes nowhere.
import {
  AudioStream,
  type Participant,
  ParticipantKind,
  type RemoteTrack,
  type RemoteTrackPublication,
  type Room,
  RoomEvent,
  TrackSource,
} from "@livekit/rtc-node";
import { SPEECH_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { HeardOfUser } from "../../src/face/motion/listening-reactions.ts";
import { PhraseDetector } from "../../src/speech/phrases/phrase-detector.ts";

/** Length of the blocks, ms. Each wakes the process: with blocks of 20 ms, reading takes twice the CPU time. */
const BLOCK_MS = 40;
/** Shortest time between two changes of the user, ms: users who talk at once take turns at being the loudest. */
const CHANGE_MS = 1_000;

export interface LoudestMicrophoneOptions {
  /** Connected as the avatar. Something else subscribes to the microphones (`OtherSpeakers`). */
  room: Room;
  /** Must not throw. */
  onHeard(what: HeardOfUser): void;
  /** Monotonic, ms. Default: the machine's clock. */
  now?(): number;
}

interface Followed {
  identity: string;
  sid: string;
  stream: AudioStream;
}

/** Reads one microphone at a time, from `start()` to `close()`: that of the user who spoke loudest last, or any before
 *  someone has spoken. */
export class LoudestMicrophone {
  readonly #options: LoudestMicrophoneOptions;
  readonly #now: () => number;
  readonly #detector = new PhraseDetector();
  #followed: Followed | undefined;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #isIgnored = false;

  constructor(options: LoudestMicrophoneOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Once. */
  start(): void {
    this.#options.room
      .on(RoomEvent.TrackSubscribed, this.#look)
      .on(RoomEvent.TrackUnmuted, this.#look)
      .on(RoomEvent.TrackUnsubscribed, this.#onUnsubscribed)
      .on(RoomEvent.TrackUnpublished, this.#onGone)
      .on(RoomEvent.TrackMuted, this.#onGone)
      .on(RoomEvent.ActiveSpeakersChanged, this.#onSpeakers);
    this.#look();
  }

  /** Stops reading. Idempotent. */
  close(): void {
    this.#options.room
      .off(RoomEvent.TrackSubscribed, this.#look)
      .off(RoomEvent.TrackUnmuted, this.#look)
      .off(RoomEvent.TrackUnsubscribed, this.#onUnsubscribed)
      .off(RoomEvent.TrackUnpublished, this.#onGone)
      .off(RoomEvent.TrackMuted, this.#onGone)
      .off(RoomEvent.ActiveSpeakersChanged, this.#onSpeakers);
    this.#leave();
  }

  /** Whether what arrives is dropped: while the avatar speaks, microphones hear it. */
  set isIgnored(isIgnored: boolean) {
    if (isIgnored === this.#isIgnored) return;
    this.#isIgnored = isIgnored;
    this.#detector.reset();
  }

  /** Follows a user where none is followed. */
  #look = (): void => {
    if (this.#followed) return;
    for (const { identity } of this.#options.room.remoteParticipants.values()) {
      const publication = this.#microphoneOf(identity);
      if (!publication) continue;
      this.#follow(identity, publication);
      return;
    }
  };

  /** Loudest first. */
  #onSpeakers = (speakers: Participant[]): void => {
    const loudest = speakers.find(({ identity }) => this.#microphoneOf(identity));
    if (!loudest || loudest.identity === this.#followed?.identity) return;
    if (this.#followed && this.#now() - this.#changedAtMs < CHANGE_MS) return;
    const publication = this.#microphoneOf(loudest.identity);
    if (!publication) return;
    this.#leave();
    this.#follow(loudest.identity, publication);
  };

  #onUnsubscribed = (_track: RemoteTrack, publication: RemoteTrackPublication): void => this.#onGone(publication);

  #onGone = (publication: { sid?: string }): void => {
    if (publication.sid !== this.#followed?.sid) return;
    this.#leave();
    this.#look();
  };

  /** Of a user; undefined while it cannot be heard. */
  #microphoneOf(identity: string): RemoteTrackPublication | undefined {
    const participant = this.#options.room.remoteParticipants.get(identity);
    if (participant?.kind !== ParticipantKind.STANDARD) return undefined;
    const publications = [...participant.trackPublications.values()];
    return publications.find(
      ({ source, track, muted }) => source === TrackSource.SOURCE_MICROPHONE && track !== undefined && !muted,
    );
  }

  #follow(identity: string, { sid, track }: RemoteTrackPublication): void {
    if (!track) return;
    const stream = new AudioStream(track, {
      sampleRate: SPEECH_SAMPLE_RATE_HZ,
      numChannels: 1,
      frameSizeMs: BLOCK_MS,
    });
    this.#followed = { identity, sid: sid ?? "", stream };
    this.#changedAtMs = this.#now();
    void this.#read(stream);
  }

  async #read(stream: AudioStream): Promise<void> {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#followed?.stream !== stream) return;
        if (this.#isIgnored) continue;
        for (const what of this.#detector.push(value.data)) this.#options.onHeard(what);
      }
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  #leave(): void {
    if (!this.#followed) return;
    this.#followed = undefined;
    this.#detector.reset();
    this.#options.onHeard("lost");
  }
}
