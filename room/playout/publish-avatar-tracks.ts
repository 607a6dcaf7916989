// The avatar's two tracks in the room: a camera and a microphone track, fed by the pacer.
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
import { createI420Frame, type I420Frame } from "../../src/signal/image/i420-frame.ts";
import type { OutputTracks } from "./output-tracks.ts";

/** Bound of the native audio queue, ms. The pacer queues 600 at most; the bound only limits the damage of a faulty
 *  clock. */
const AUDIO_QUEUE_LIMIT_MS = 800;
/** Audio of sessions that viewers render, bit/s. RFC 7587 gives 16 to 20 kbit/s for speech up to 8 kHz and 28 to 40
 *  for all of it; LiveKit's default is 48, sent twice (RED). Without RED, LiveKit has lost packets sent again instead
 *  (NACK). */
const LIGHT_AUDIO_BPS = 24_000n;
/** Most audio that is queued in one call, ms. */
const LONGEST_AUDIO_MS = 600;

export interface AvatarTracksOptions {
  room: Room;
  widthPx: number;
  heightPx: number;
  sampleRateHz: number;
  codec: "h264" | "vp8";
  maxBitrateKbps: number;
  /** Whether viewers render from the start: audio and motion then take 50 kbit/s. Default false. */
  viewersRender?: boolean;
}

/** Published tracks with a source each. Create with `publishAvatarTracks`. */
export class AvatarTracks implements OutputTracks {
  readonly #videoSource: VideoSource;
  readonly #audioSource: AudioSource;
  readonly #audioPublication: LocalTrackPublication;
  /** Copies of what does not start its buffer. The native side reads at once, from the start of the underlying buffer,
   *  whatever its length. */
  #frameBytes = new Uint8Array(0);
  readonly #audioSamples: Int16Array;

  constructor(videoSource: VideoSource, audioSource: AudioSource, audioPublication: LocalTrackPublication) {
    this.#videoSource = videoSource;
    this.#audioSource = audioSource;
    this.#audioPublication = audioPublication;
    this.#audioSamples = new Int16Array((audioSource.sampleRate * LONGEST_AUDIO_MS) / 1000);
  }

  /** Sid of the audio track: transcriptions name it. */
  get audioTrackSid(): string | undefined {
    return this.#audioPublication.sid;
  }

  /** Resolves when a participant has subscribed to the audio track. */
  whenHeard(): Promise<void> {
    return this.#audioPublication.waitForSubscription();
  }

  /** Audio queued and not yet played, ms. */
  get queuedAudioMs(): number {
    return this.#audioSource.queuedDuration;
  }

  /** Hands a video frame to the encoder at once. `timestampUs`: its presentation time, on any monotonic clock. */
  showFrame(frame: I420Frame, timestampUs: bigint): void {
    const bytes = this.#fromStart(frame.data);
    this.#videoSource.captureFrame(
      new VideoFrame(bytes, frame.widthPx, frame.heightPx, VideoBufferType.I420),
      timestampUs,
    );
  }

  /** Appends mono audio, at most 600 ms, to the queue; it is read before this returns. Resolves when the queue can take
   *  more; rejects if the source refuses it. */
  async queueAudio(samples: Int16Array): Promise<void> {
    let data = samples;
    if (samples.byteOffset !== 0) {
      data = this.#audioSamples;
      data.set(samples);
    }
    await this.#audioSource.captureFrame(new AudioFrame(data, this.#audioSource.sampleRate, 1, samples.length));
  }

  /** Drops all audio that is queued. */
  clearAudio(): void {
    this.#audioSource.clearQueue();
  }

  /** Releases the sources; the tracks fall silent and go with the room. Idempotent. */
  async close(): Promise<void> {
    if (!this.#videoSource.closed) await this.#videoSource.close();
    if (!this.#audioSource.closed) await this.#audioSource.close();
  }

  #fromStart(bytes: Uint8Array): Uint8Array {
    if (bytes.byteOffset === 0) return bytes;
    if (this.#frameBytes.length !== bytes.length) this.#frameBytes = new Uint8Array(bytes.length);
    this.#frameBytes.set(bytes);
    return this.#frameBytes;
  }
}

/** Publishes both tracks at the same time, video first, because senders wait for the video track before they push
 *  audio. One layer, no simulcast, full frame rate: the default preset caps it at 20 fps. Rejects if the room refuses a
 *  track. */
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
    // Discontinuous transmission (DTX) would drop the quiet parts of speech, so it is off.
    new TrackPublishOptions({
      source: TrackSource.SOURCE_MICROPHONE,
      dtx: false,
      ...(options.viewersRender && { red: false, audioEncoding: { maxBitrate: LIGHT_AUDIO_BPS } }),
    }),
  );
  const [audioPublication] = await Promise.all([audioPublishing, videoPublishing]);
  return new AvatarTracks(videoSource, audioSource, audioPublication);
}

/** A source that sends nothing until the pacer captures a frame. Without this, a new source sends black frames until
 *  its first frame; a first frame captured before the track is published is not sent. */
function createSilentSource(widthPx: number, heightPx: number): VideoSource {
  const source = new VideoSource(widthPx, heightPx);
  const { data } = createI420Frame(widthPx, heightPx);
  source.captureFrame(new VideoFrame(data, widthPx, heightPx, VideoBufferType.I420));
  return source;
}
