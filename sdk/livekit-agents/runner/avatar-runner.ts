// Runs an avatar with a video generator of its user's own.
import { once } from "node:events";
import { voice } from "@livekit/agents";
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  LocalVideoTrack,
  type Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
  type VideoFrame,
  VideoSource,
} from "@livekit/rtc-node";
import { TRACK_AUDIO, TRACK_VIDEO } from "../../../shared/wire-names.ts";
import { agentLog } from "../agent-log.ts";
import type { AudioReceiver } from "./audio-receiver.ts";
import { AVSynchronizer } from "./av-synchronizer.ts";
import type { VideoGenerator } from "./video-generator.ts";

const DEFAULT_QUEUE_SIZE_MS = 100;
const MAX_BITRATE = 2_000_000n;

export interface AvatarOptions {
  videoWidth: number;
  videoHeight: number;
  videoFps: number;
  /** Of the audio that the generator gives. */
  audioSampleRate: number;
  audioChannels: number;
}

export interface AvatarRunnerOptions {
  /** Where speech comes from; the runner starts and closes it. */
  audioRecv: AudioReceiver;
  videoGen: VideoGenerator;
  options: AvatarOptions;
  /** Audio and video that wait to be played at most, ms. Default 100. */
  queueSizeMs?: number;
  /** Whether the tracks are published with the first frame, and not by `start`. Default true. */
  lazyPublish?: boolean;
}

/** Speech that was given to the generator and is not over. */
interface Segment {
  /** Samples that the generator has given back. */
  playedSamples: number;
}

/** Gives received speech to the generator, publishes what comes back, and reports how much of it was played. */
export class AvatarRunner {
  readonly #room: Room;
  readonly #receiver: AudioReceiver;
  readonly #generator: VideoGenerator;
  readonly #options: AvatarOptions;
  readonly #lazyPublish: boolean;
  readonly #audioSource: AudioSource;
  readonly #videoSource: VideoSource;
  readonly #sync: AVSynchronizer;
  /** Oldest first. */
  #segments: Segment[] = [];
  /** The generator has given back all of their audio, which is not all played. */
  #ending: Segment[] = [];
  /** The segment that is being received. */
  #received: Segment | undefined;
  /** What comes from the generator until it has forgotten all is dropped. */
  #isClearing = false;
  #publishing: Promise<void> | undefined;
  #running: Promise<unknown> | undefined;
  readonly #closed = new AbortController();

  constructor(room: Room, { audioRecv, videoGen, options, queueSizeMs, lazyPublish }: AvatarRunnerOptions) {
    this.#room = room;
    this.#receiver = audioRecv;
    this.#generator = videoGen;
    this.#options = options;
    this.#lazyPublish = lazyPublish ?? true;
    const videoQueueSizeMs = queueSizeMs ?? DEFAULT_QUEUE_SIZE_MS;
    this.#audioSource = new AudioSource(options.audioSampleRate, options.audioChannels, videoQueueSizeMs);
    this.#videoSource = new VideoSource(options.videoWidth, options.videoHeight);
    this.#sync = new AVSynchronizer({
      audioSource: this.#audioSource,
      videoSource: this.#videoSource,
      videoFps: options.videoFps,
      videoQueueSizeMs,
    });
  }

  /** Begins. Once. */
  async start(): Promise<void> {
    this.#receiver.on("clear_buffer", this.#onClear);
    await this.#receiver.start();
    if (!this.#lazyPublish) await this.#publish();
    this.#running = Promise.all([this.#read(), this.#forward()]);
    // For who does not wait.
    this.#running.catch(() => undefined);
  }

  /** Resolves when receiver and generator have ended. Rejects with their error. */
  async waitForComplete(): Promise<void> {
    if (!this.#running) throw new Error("the runner has not been started");
    await this.#running;
  }

  /** Stops, and closes the receiver; the room stays connected. Idempotent. */
  async aclose(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#receiver.off("clear_buffer", this.#onClear);
    await this.#receiver.aclose();
    this.#sync.aclose();
    await Promise.all([this.#audioSource.close(), this.#videoSource.close()]);
  }

  async #read(): Promise<void> {
    for await (const frame of this.#receiver) {
      if (frame instanceof AudioFrame) {
        if (!this.#received) {
          this.#received = { playedSamples: 0 };
          this.#segments.push(this.#received);
        }
      } else if (this.#received) this.#received = undefined;
      else continue;
      await this.#generator.pushAudio(frame);
    }
  }

  async #forward(): Promise<void> {
    const frames = this.#generator[Symbol.asyncIterator]();
    const closed = new Promise<IteratorReturnResult<undefined>>((resolve) => {
      this.#closed.signal.addEventListener("abort", () => resolve({ done: true, value: undefined }));
    });
    try {
      for (;;) {
        const next = await Promise.race([frames.next(), closed]);
        if (next.done || this.#closed.signal.aborted) return;
        if (!this.#isClearing) await this.#play(next.value);
      }
    } catch (error) {
      // A source that is closed takes no frame.
      if (!this.#closed.signal.aborted) throw error;
    } finally {
      // Not awaited: a generator that waits for audio would hold this up.
      void Promise.resolve(frames.return?.()).catch(() => undefined);
    }
  }

  async #play(frame: VideoFrame | AudioFrame | voice.AudioSegmentEnd): Promise<void> {
    const segment = this.#segments[0];
    if (frame instanceof voice.AudioSegmentEnd) {
      if (segment) this.#end(segment);
      return;
    }
    await this.#publish();
    await this.#sync.push(frame);
    if (!(frame instanceof AudioFrame) || !segment || segment !== this.#segments[0]) return;
    if (segment.playedSamples === 0) void this.#receiver.notifyPlaybackStarted();
    segment.playedSamples += frame.samplesPerChannel;
  }

  /** All audio of the oldest segment was pushed; it is over when that is played. */
  #end(segment: Segment): void {
    this.#segments.shift();
    this.#ending.push(segment);
    setTimeout(() => {
      if (this.#ending[0] !== segment) return;
      this.#ending.shift();
      void this.#receiver.notifyPlaybackFinished(this.#secondsOf(segment), false);
    }, this.#sync.queuedAudio * 1000);
  }

  #onClear = (): void => {
    const [oldest] = [...this.#ending, ...this.#segments];
    const heard = oldest ? Math.max(0, this.#secondsOf(oldest) - this.#sync.queuedAudio) : 0;
    this.#ending = [];
    this.#segments = [];
    this.#received = undefined;
    this.#isClearing = true;
    this.#sync.clearQueue();
    void Promise.resolve(this.#generator.clearBuffer())
      .catch((error: unknown) => agentLog().warn({ error }, "the video generator did not clear its buffer"))
      .finally(() => {
        this.#isClearing = false;
        // What was on its way into the queue meanwhile.
        this.#sync.clearQueue();
        if (oldest) void this.#receiver.notifyPlaybackFinished(heard, true);
      });
  };

  #secondsOf({ playedSamples }: Segment): number {
    return playedSamples / this.#options.audioSampleRate;
  }

  /** Publishes both tracks, once the room is connected. */
  #publish(): Promise<void> {
    this.#publishing ??= this.#connected().then(() => this.#publishTracks());
    return this.#publishing;
  }

  async #connected(): Promise<void> {
    const { signal } = this.#closed;
    while (!this.#room.isConnected) await once(this.#room, RoomEvent.ConnectionStateChanged, { signal });
  }

  async #publishTracks(): Promise<void> {
    const { localParticipant } = this.#room;
    await Promise.all([
      localParticipant?.publishTrack(
        LocalVideoTrack.createVideoTrack(TRACK_VIDEO, this.#videoSource),
        new TrackPublishOptions({
          source: TrackSource.SOURCE_CAMERA,
          simulcast: false,
          // The default preset caps the rate.
          videoEncoding: { maxBitrate: MAX_BITRATE, maxFramerate: this.#options.videoFps },
        }),
      ),
      localParticipant?.publishTrack(
        LocalAudioTrack.createAudioTrack(TRACK_AUDIO, this.#audioSource),
        // Discontinuous transmission (DTX) would drop the quiet parts of speech, so it is off.
        new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false }),
      ),
    ]);
  }
}
