// The avatar's two tracks in the room: a camera and a microphone that the playout feeds.
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type LocalTrackPublication,
  LocalVideoTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoCodec,
  VideoFrame,
  VideoSource,
} from "@livekit/rtc-node";
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import { TRACK_AUDIO, TRACK_VIDEO } from "../../shared/wire-names.ts";
import { createI420Frame, type I420Frame } from "../../src/drawing/i420-frame.ts";
import type { OutputTracks } from "../playout/output-tracks.ts";

/** Bound of the native sound queue, ms. The playout holds it near 60; the bound only catches a clock gone wrong. */
const AUDIO_QUEUE_LIMIT_MS = 400;

export interface AvatarTracksOptions {
  room: Room;
  widthPx: number;
  heightPx: number;
  sampleRateHz: number;
  codec: "h264" | "vp8";
  maxBitrateKbps: number;
}

/** Published tracks with a source each. Create with `publishAvatarTracks`. */
export class AvatarTracks implements OutputTracks {
  readonly #videoSource: VideoSource;
  readonly #audioSource: AudioSource;
  readonly #audioPublication: LocalTrackPublication;
  #pictureBytes = new Uint8Array(0);

  constructor(videoSource: VideoSource, audioSource: AudioSource, audioPublication: LocalTrackPublication) {
    this.#videoSource = videoSource;
    this.#audioSource = audioSource;
    this.#audioPublication = audioPublication;
  }

  /** Sid of the audio track: transcriptions name it. */
  get audioTrackSid(): string | undefined {
    return this.#audioPublication.sid;
  }

  /** Sound handed over and not yet played, ms. */
  get queuedAudioMs(): number {
    return this.#audioSource.queuedDuration;
  }

  /** Hands a picture to the encoder at once. `timestampUs`: when it is to be seen, on any steady clock. */
  showPicture(frame: I420Frame, timestampUs: bigint): void {
    const bytes = this.#ownBuffer(frame.data);
    this.#videoSource.captureFrame(
      new VideoFrame(bytes, frame.widthPx, frame.heightPx, VideoBufferType.I420),
      timestampUs,
    );
  }

  /** Appends mono sound to the queue; it is copied before this returns. Resolves when there is room for more; rejects if the
   *  source refuses it. */
  async queueSound(samples: Int16Array): Promise<void> {
    const ownSamples = samples.byteLength === samples.buffer.byteLength ? samples : samples.slice();
    await this.#audioSource.captureFrame(
      new AudioFrame(ownSamples, this.#audioSource.sampleRate, 1, ownSamples.length),
    );
  }

  /** Drops all sound that is queued. */
  clearSound(): void {
    this.#audioSource.clearQueue();
  }

  /** Releases the sources; the tracks fall silent and go with the room. Idempotent. */
  async close(): Promise<void> {
    if (!this.#videoSource.closed) await this.#videoSource.close();
    if (!this.#audioSource.closed) await this.#audioSource.close();
  }

  /** The native side reads from the start of the underlying buffer, so a view into a larger one is copied out first. */
  #ownBuffer(bytes: Uint8Array): Uint8Array {
    if (bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength) return bytes;
    if (this.#pictureBytes.length !== bytes.length) this.#pictureBytes = new Uint8Array(bytes.length);
    this.#pictureBytes.set(bytes);
    return this.#pictureBytes;
  }
}

/** Publishes both tracks at once, video first: senders wait for it before they push. One layer, no simulcast, full frame rate: the default
 *  preset caps pictures at 20 a second. Rejects if the room refuses a track. */
export async function publishAvatarTracks(options: AvatarTracksOptions): Promise<AvatarTracks> {
  const { room } = options;
  const videoSource = createSilentSource(options.widthPx, options.heightPx);
  const audioSource = new AudioSource(options.sampleRateHz, 1, AUDIO_QUEUE_LIMIT_MS);
  const videoPublishing = room.localParticipant!.publishTrack(
    LocalVideoTrack.createVideoTrack(TRACK_VIDEO, videoSource),
    new TrackPublishOptions({
      source: TrackSource.SOURCE_CAMERA,
      videoCodec: options.codec === "vp8" ? VideoCodec.VP8 : VideoCodec.H264,
      simulcast: false,
      videoEncoding: { maxBitrate: BigInt(options.maxBitrateKbps) * 1000n, maxFramerate: FRAME_RATE_FPS },
    }),
  );
  const audioPublishing = room.localParticipant!.publishTrack(
    LocalAudioTrack.createAudioTrack(TRACK_AUDIO, audioSource),
    // Discontinuous transmission would cut the quiet parts of speech; the track is continuous on purpose.
    new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false }),
  );
  const [audioPublication] = await Promise.all([audioPublishing, videoPublishing]);
  return new AvatarTracks(videoSource, audioSource, audioPublication);
}

/** A source that shows nothing until it is given something. By itself it sends black pictures until its first one; a first one that comes
 *  before the track is published is seen by nobody. */
function createSilentSource(widthPx: number, heightPx: number): VideoSource {
  const source = new VideoSource(widthPx, heightPx);
  const { data } = createI420Frame(widthPx, heightPx);
  source.captureFrame(new VideoFrame(data, widthPx, heightPx, VideoBufferType.I420));
  return source;
}
