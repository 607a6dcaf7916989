// The camera of the person that the avatar talks with, as single images. It is subscribed while it is needed:
// decoding it all the time would cost as much as rendering the avatar.
import {
  type RemoteTrack,
  type RemoteTrackPublication,
  type Room,
  RoomEvent,
  TrackSource,
  type VideoFrameEvent,
  VideoStream,
} from "@livekit/rtc-node";
import type { Logger } from "../../../program/log.ts";
import { encodeStill } from "./encode-still.ts";

/** From a subscription to its first image some 200 ms pass; an answer does not wait longer than this for one, ms. */
const FRAME_TIMEOUT_MS = 700;
/** The subscription ends when no image was needed for this long, ms. */
const REST_MS = 5_000;
/** An image that is older is not what the camera shows now, ms: the sender may have stopped without notice. */
const STALE_MS = 2_000;

export interface PersonCameraOptions {
  /** Connected. */
  room: Room;
  /** The person's camera was switched on or off. */
  onSwitched(isOn: boolean): void;
  logger: Logger;
}

interface Shown {
  event: VideoFrameEvent;
  atMs: number;
}

/** One camera at a time. Follows the room from `start()` to `close()`. */
export class PersonCamera {
  readonly #options: PersonCameraOptions;
  #identity: string | undefined;
  #publication: RemoteTrackPublication | undefined;
  #stream: VideoStream | undefined;
  #newest: Shown | undefined;
  #isOn = false;
  #restTimer: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(options: PersonCameraOptions) {
    this.#options = options;
  }

  /** Follows the room. Once. */
  start(): void {
    this.#options.room
      .on(RoomEvent.TrackPublished, this.#look)
      .on(RoomEvent.TrackUnpublished, this.#look)
      .on(RoomEvent.TrackMuted, this.#look)
      .on(RoomEvent.TrackUnmuted, this.#look)
      .on(RoomEvent.TrackSubscribed, this.#onSubscribed);
  }

  /** Whether the person shows something. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Watches this person's camera from now on; undefined: none. */
  follow(identity: string | undefined): void {
    this.#identity = identity;
    this.#look();
  }

  /** An image will be needed soon. */
  prepare(): void {
    if (!this.#isOn) return;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#rest(), REST_MS);
    if (this.#stream) return;
    this.#publication?.setSubscribed(true);
    if (this.#publication?.track) this.#watch(this.#publication.track);
  }

  /** A JPEG of what the camera shows now, its longer side at most 1,024 px. Undefined if it is off, or shows nothing in
   *  time. Never rejects. */
  async still(signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (!this.#isOn) return undefined;
    this.prepare();
    if (!this.#fresh) await this.#nextFrame(signal);
    const shown = this.#fresh;
    // It may have been switched off meanwhile.
    if (!shown || signal.aborted) return undefined;
    try {
      const { frame, rotation } = shown.event;
      const still = await encodeStill(frame, rotation);
      return this.#isOn ? still : undefined;
    } catch (error) {
      this.#options.logger.warn({ err: error }, "the camera's image cannot be read");
      return undefined;
    }
  }

  /** Idempotent. */
  close(): void {
    this.#options.room
      .off(RoomEvent.TrackPublished, this.#look)
      .off(RoomEvent.TrackUnpublished, this.#look)
      .off(RoomEvent.TrackMuted, this.#look)
      .off(RoomEvent.TrackUnmuted, this.#look)
      .off(RoomEvent.TrackSubscribed, this.#onSubscribed);
    this.#leave();
  }

  /** False once the person has taken it away or left. */
  get #isPublished(): boolean {
    const { remoteParticipants } = this.#options.room;
    const sid = this.#publication?.sid;
    return [...remoteParticipants.values()].some(
      ({ trackPublications }) => sid !== undefined && trackPublications.has(sid),
    );
  }

  get #fresh(): Shown | undefined {
    const shown = this.#newest;
    return shown && performance.now() - shown.atMs <= STALE_MS ? shown : undefined;
  }

  /** Finds the person's camera. Of two, the one that is watched stays, then the first that is on. */
  #look = (): void => {
    const { room } = this.#options;
    const person = this.#identity === undefined ? undefined : room.remoteParticipants.get(this.#identity);
    const cameras = [...(person?.trackPublications.values() ?? [])].filter(
      ({ source, muted }) => source === TrackSource.SOURCE_CAMERA && !muted,
    );
    const chosen = cameras.find(({ sid }) => sid === this.#publication?.sid) ?? cameras[0];
    if (chosen?.sid !== this.#publication?.sid) {
      this.#rest();
      this.#publication = chosen;
    }
    const isOn = chosen !== undefined;
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    this.#options.onSwitched(isOn);
  };

  #onSubscribed = (track: RemoteTrack, publication: RemoteTrackPublication): void => {
    if (publication.sid === this.#publication?.sid) this.#watch(track);
  };

  #watch(track: RemoteTrack): void {
    if (this.#stream) return;
    const stream = new VideoStream(track);
    this.#stream = stream;
    void this.#read(stream);
  }

  /** Every frame is read, because the stream's queue has no limit. */
  async #read(stream: VideoStream): Promise<void> {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#stream !== stream) return;
        this.#newest = { event: value, atMs: performance.now() };
        this.#wake();
      }
    } catch (error) {
      this.#options.logger.debug({ err: error }, "camera stream failed");
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  #nextFrame(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, FRAME_TIMEOUT_MS);
      signal.addEventListener("abort", done, { once: true });
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  /** Ends the subscription; the image is forgotten. */
  #rest(): void {
    clearTimeout(this.#restTimer);
    this.#stream = undefined;
    this.#newest = undefined;
    if (this.#isPublished) this.#publication?.setSubscribed(false);
    this.#wake();
  }

  #leave(): void {
    this.#rest();
    this.#publication = undefined;
    this.#isOn = false;
  }
}
