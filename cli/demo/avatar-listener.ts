// A LiveKit participant that subscribes to one avatar, as any client would, and records arrival times.
import {
  AudioStream,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  TrackKind,
  VideoBufferType,
  VideoStream,
} from "@livekit/rtc-node";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";

export interface HeardAudio {
  /** Mono int16 at 48 kHz. */
  samples: Int16Array;
  /** When it arrived, in ms of `performance.now()`. */
  atMs: number;
}

export interface SeenFrame {
  frame: I420Frame;
  /** When it arrived, in ms of `performance.now()`. */
  atMs: number;
  /** The frame's own time on the receiver's clock, in ms from an unknown origin: free of network jitter. */
  streamMs: number;
}

export interface ListenerEvents {
  onFrame?(frame: SeenFrame): void;
  onAudio?(audio: HeardAudio): void;
}

/** Joins with `start()`, leaves with `close()`. */
export class AvatarListener {
  readonly room = new Room();
  readonly #events: ListenerEvents;
  /** By kind of track. */
  readonly #readers = new Map<TrackKind | undefined, ReadableStreamDefaultReader<unknown>>();
  readonly #avatarIdentity: string;

  constructor(avatarIdentity: string, events: ListenerEvents) {
    this.#avatarIdentity = avatarIdentity;
    this.#events = events;
    this.room.on(
      RoomEvent.TrackSubscribed,
      (track: RemoteTrack, _: RemoteTrackPublication, participant: RemoteParticipant) => {
        if (participant.identity !== this.#avatarIdentity) return;
        void (track.kind === TrackKind.KIND_VIDEO ? this.#watch(track) : this.#listen(track));
      },
    );
  }

  /** Joins the room. Throws when it cannot. With `takesVideo` false it subscribes to audio alone. */
  async start(url: string, token: string, { takesVideo = true } = {}): Promise<void> {
    if (!takesVideo) this.room.on(RoomEvent.TrackPublished, subscribeToAudio);
    await this.room.connect(url, token, { autoSubscribe: takesVideo, dynacast: false });
    if (takesVideo) return;
    for (const { trackPublications } of this.room.remoteParticipants.values())
      for (const publication of trackPublications.values()) subscribeToAudio(publication);
  }

  /** Leaves. Idempotent. */
  async close(): Promise<void> {
    // A stream may have ended by itself.
    for (const reader of this.#readers.values()) await reader.cancel().catch(() => {});
    await this.room.disconnect();
  }

  async #watch(track: RemoteTrack): Promise<void> {
    await this.#readAll(track.kind, new VideoStream(track), ({ frame, timestampUs }) => {
      const atMs = performance.now();
      const { data, width, height } = frame.type === VideoBufferType.I420 ? frame : frame.convert(VideoBufferType.I420);
      this.#events.onFrame?.({
        frame: { data, widthPx: width, heightPx: height },
        atMs,
        streamMs: Number(timestampUs) / 1000,
      });
    });
  }

  async #listen(track: RemoteTrack): Promise<void> {
    await this.#readAll(track.kind, new AudioStream(track, PLAYOUT_SAMPLE_RATE_HZ, 1), (audioFrame) => {
      this.#events.onAudio?.({ samples: audioFrame.data, atMs: performance.now() });
    });
  }

  /** The avatar has one track of a kind. When it has moved to another process, the stream of the earlier track would go
   *  on with the same frames. */
  async #readAll<T>(kind: TrackKind | undefined, stream: ReadableStream<T>, take: (value: T) => void): Promise<void> {
    const reader = stream.getReader();
    void this.#readers
      .get(kind)
      ?.cancel()
      .catch(() => {}); // It may have ended by itself.
    this.#readers.set(kind, reader);
    for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value);
  }
}

function subscribeToAudio(publication: RemoteTrackPublication): void {
  if (publication.kind === TrackKind.KIND_AUDIO) publication.setSubscribed(true);
}
