// A face in a joined room: plays the engine into its tracks, hears the sender's audio streams, and reports their
// playback. What else an avatar does there, such as speaking by itself, is its program's.
import type { Room } from "@livekit/rtc-node";
import type { OpenSegment } from "../shared/runtime-api.ts";
import type { Engine } from "../src/face/engine/engine.ts";
import type { I420Frame } from "../src/signal/image/i420-frame.ts";
import { SenderBinding } from "./participants/sender-binding.ts";
import { FramePacer } from "./playout/frame-pacer.ts";
import type { HeardListener } from "./playout/heard-events.ts";
import { MotionSender } from "./playout/motion-sender.ts";
import { milestoneReached, type PlayoutEvent } from "./playout/playout-event.ts";
import { PlayoutMetrics } from "./playout/playout-metrics.ts";
import { type AvatarTracks, publishAvatarTracks } from "./playout/publish-avatar-tracks.ts";
import type { SpeechTap } from "./playout/speech-tap.ts";
import { StartReserve } from "./playout/start-reserve.ts";
import type { VideoWatch } from "./playout/video-watch.ts";
import type { RoomLog } from "./room-log.ts";
import { answerClearBuffer } from "./sender/answer-clear-buffer.ts";
import { AudioReceiver } from "./sender/audio-receiver.ts";
import { PlaybackReporter } from "./sender/playback-reporter.ts";
import { SenderExpressions } from "./sender/sender-expressions.ts";

export interface FaceInRoomOptions {
  /** The room, connected as the avatar participant, with dynacast. */
  room: Room;
  /** Created with `pacedEngine`, with the same `reserve`. The face does not close it. */
  engine: Engine;
  widthPx: number;
  heightPx: number;
  codec: "h264" | "vp8";
  maxBitrateKbps: number;
  /** Highest frame rate, fps. Default 25. */
  maxFps?: 25 | 12.5;
  /** Who needs what of the face: started when the room was joined, so that participants who see the avatar can say so.
   *  It is closed with the face. */
  watch: VideoWatch;
  /** Default: one of its own. */
  reserve?: StartReserve;
  /** Cores of the machine that were free lately. Default: always enough. */
  freeCores?(): number;
  /** Gets the speech that is played. Default: nothing does. */
  tap?: SpeechTap;
  logger: RoomLog;
  /** What is heard of each segment, the sender's and others. Default: not told. */
  listener?: HeardListener;
  /** Called before the sender's interruption empties engine and queue. Default: not told. */
  onInterrupted?(): void;
  /** Something happened in the session. Default: not told. */
  onEvent?(event: PlayoutEvent): void;
  /** Called when the set of open segments changes. */
  onSegmentsChanged?(): void;
  /** Called once if the engine fails. */
  onFailure(error: unknown): void;
  /** Time without data after which an audio stream counts as ended, ms. Default 10,000. */
  silenceLimitMs?: number;
}

/** Runs from `start()` to `close()`. */
export class FaceInRoom {
  readonly metrics = new PlayoutMetrics();
  /** Who needs video or motion. */
  readonly watch: VideoWatch;
  readonly #options: FaceInRoomOptions;
  readonly #tracks: AvatarTracks;
  readonly #binding: SenderBinding;
  readonly #reporter: PlaybackReporter;
  readonly #motion: MotionSender;
  readonly #pacer: FramePacer;
  readonly #receiver: AudioReceiver;
  readonly #expressions: SenderExpressions;
  #hasSpoken = false;

  private constructor(options: FaceInRoomOptions, tracks: AvatarTracks) {
    this.#options = options;
    this.#tracks = tracks;
    const { room, logger, watch } = options;
    this.#binding = new SenderBinding(room);
    this.#expressions = new SenderExpressions({ room, binding: this.#binding, engine: options.engine });
    this.#reporter = new PlaybackReporter({ room, logger, onChange: options.onSegmentsChanged });
    this.watch = watch;
    this.#motion = new MotionSender({ room, logger, watch, engine: options.engine });
    this.#pacer = new FramePacer({
      ...options,
      motion: this.#motion,
      tracks,
      metrics: this.metrics,
      maxFps: options.maxFps ?? 25,
      reserve: options.reserve ?? new StartReserve(),
      freeCores: options.freeCores ?? (() => Number.POSITIVE_INFINITY),
      listener: this.#listener(),
    });
    this.#receiver = new AudioReceiver({
      ...options,
      binding: this.#binding,
      onAudio: () => this.audioArrived(),
      onSegment: (segmentId, senderIdentity) => this.#reporter.open(segmentId, senderIdentity),
      onSegmentRefused: (segmentId) => this.#reporter.finished(segmentId, { positionMs: 0, interrupted: true }),
    });
  }

  /** Publishes the tracks. Rejects if the room refuses one. */
  static async publish(options: FaceInRoomOptions): Promise<FaceInRoom> {
    const { viewersRender } = options.watch;
    const tracks = await publishAvatarTracks({ ...options, viewersRender, sampleRateHz: options.engine.sampleRateHz });
    options.onEvent?.(milestoneReached("published"));
    return new FaceInRoom(options, tracks);
  }

  /** Starts playout and accepts audio, once. `inherited`: segments that an earlier process of this session left
   *  open. */
  start(inherited: readonly OpenSegment[] = []): void {
    const { room, logger, onInterrupted } = this.#options;
    this.#binding.start();
    this.#reporter.start();
    this.#reporter.inherit(inherited);
    this.#pacer.start();
    const clear = (): void => {
      onInterrupted?.();
      logger.debug({ segments: this.clear().length }, "cleared");
    };
    answerClearBuffer({ room, binding: this.#binding, clear });
    this.#expressions.start();
    this.#receiver.start();
  }

  /** Call it whenever audio was pushed into the engine: audio that is due is queued at once. */
  audioArrived(): void {
    this.#pacer.audioArrived();
  }

  /** Empties engine and audio queue at once. Returns the ids of the interrupted segments. */
  clear(): string[] {
    return this.#pacer.clear();
  }

  /** What the face looks like now: its next frame, rendered for this alone while no viewer needs video. Rejects if the
   *  face closes before. */
  still(): Promise<I420Frame> {
    return this.#pacer.still();
  }

  /** Sid of the audio track now: the SDK publishes it again when it restores a connection. */
  get audioTrackSid(): string | undefined {
    return this.#tracks.audioTrackSid;
  }

  /** Resolves when a participant has subscribed to the avatar's audio. */
  whenHeard(): Promise<void> {
    return this.#tracks.whenHeard();
  }

  /** Segments with senders who wait for the report of their end. */
  get openSegments(): OpenSegment[] {
    return this.#reporter.openSegments;
  }

  /** True while one of them plays. */
  get isPlaying(): boolean {
    return this.#reporter.isPlaying;
  }

  /** Accepts no more audio, and reports segments that are still open as interrupted. Idempotent. */
  async closeSender(): Promise<void> {
    this.#receiver.close();
    this.#expressions.close();
    await this.#reporter.close();
  }

  /** Stops all of this; the room stays connected. Idempotent. */
  async close(): Promise<void> {
    await this.closeSender();
    this.#binding.close();
    this.watch.close();
    await this.#pacer.close();
    this.#motion.close();
    await this.#tracks.close();
  }

  #listener(): HeardListener {
    const { listener, onEvent } = this.#options;
    return {
      segmentStarted: (segmentId) => {
        if (!this.#hasSpoken) onEvent?.(milestoneReached("first-speech"));
        this.#hasSpoken = true;
        this.#reporter.started(segmentId);
        listener?.segmentStarted(segmentId);
      },
      segmentQueued: (segmentId, audio) => {
        this.#reporter.queued(segmentId, audio);
        listener?.segmentQueued(segmentId, audio);
      },
      segmentFinished: (segmentId, end) => {
        this.#reporter.finished(segmentId, end);
        this.#expressions.finished();
        listener?.segmentFinished(segmentId, end);
      },
    };
  }
}
