// An avatar in a real room that sends audio and motion, and video to participants that need it: for pages in front of
// avatars of every version, and of every mood.
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  LocalVideoTrack,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoFrame,
  VideoSource,
} from "@livekit/rtc-node";
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { encodeMotionPacket, type MotionCut, type MotionFrame } from "../../../shared/motion-packet.ts";
import { parseWatchRequest, type WatchNeeds, type WatchReply } from "../../../shared/watch.ts";
import { RPC_WATCH, TOPIC_MOTION, TRACK_AUDIO, TRACK_VIDEO } from "../../../shared/wire-names.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import type { Engine } from "../../../src/face/engine/engine.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import type { PcmAudio } from "../../../src/signal/audio/wav.ts";
import { lipSyncModel, RATE_HZ, runtime } from "../faces/with-engine.ts";
import { TestRoom } from "./test-room.ts";

/** Audio that is queued ahead, ms. */
const QUEUE_MS = 120;
const STEP_MS = 10;
/** Frames in a packet: each comes four times. */
const REPEATED = 4;

export interface MotionAvatarOptions {
  url: string;
  /** Of kind agent, for the room. */
  token: string;
  imx: Imx;
  /** What a call is answered, and so what is sent; null: the avatar does not know the call, and sends video. Default:
   *  what is asked. */
  answer?: ((needs: WatchNeeds) => WatchReply) | null;
  /** Version byte of its motion, in the place of the present one. */
  motionVersion?: number;
}

export class MotionAvatar {
  /** What participants said that they need, in order. */
  readonly asked: WatchNeeds[] = [];
  /** Packets are kept back while it is true, and come in a burst. */
  isStalled = false;
  /** It stands still while it is true: neither audio nor motion comes, and then all that waited. */
  isFrozen = false;
  /** Added to its clock, ms. */
  #clockMs = 0;
  readonly #room = new TestRoom();
  readonly #audio = new AudioSource(RATE_HZ, 1, 1000);
  readonly #video: VideoSource;
  readonly #avatar: Avatar;
  readonly #epoch = Math.floor(Math.random() * 2 ** 32);
  #engine: Engine | undefined;
  #pose: { parameters: Float32Array; breath: number } = {
    parameters: new Float32Array(FACE_PARAMETER_COUNT),
    breath: 1,
  };
  #needs: WatchNeeds = "nothing";
  #frames: MotionFrame[] = [];
  #cuts: MotionCut[] = [];
  #kept: Uint8Array[] = [];
  #index = 0;
  #sequence = 0;
  #segments = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #stepping: Promise<void> | undefined;

  readonly #motionVersion: number | undefined;

  private constructor(avatar: Avatar, motionVersion: number | undefined) {
    this.#avatar = avatar;
    this.#motionVersion = motionVersion;
    this.#video = new VideoSource(avatar.widthPx, avatar.heightPx);
  }

  /** Joins, publishes its tracks, and moves until `close()`. */
  static async join({
    url,
    token,
    imx,
    answer = (needs) => ({ ok: true, renders: needs }),
    motionVersion,
  }: MotionAvatarOptions) {
    const one = new MotionAvatar(await openAvatar(imx, runtime), motionVersion);
    await one.#start(url, token, answer);
    return one;
  }

  say({ samples, sampleRateHz }: PcmAudio): void {
    this.#segments += 1;
    const segment = this.#engine!.openSegment(`said-${this.#segments}`, sampleRateHz);
    segment.push(samples);
    segment.end();
  }

  /** Time passes, ms, which a page does not notice. */
  advanceClock(ms: number): void {
    this.#clockMs += ms;
    this.#frames = [];
  }

  /** Falls silent at once. */
  interrupt(): void {
    this.#engine?.clear();
    this.#audio.clearQueue();
    const nowMs = this.#nowMs();
    const [first] = this.#frames.filter(({ atMs }) => atMs > nowMs);
    if (first) this.#cuts = [...this.#cuts, { from: first.index, until: this.#index + 1 }].slice(-3);
    this.#frames = [];
    this.#index += 1;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#stepping;
    await this.#room.disconnect();
    await this.#audio.close();
    await this.#video.close();
    await this.#engine?.close();
    await this.#avatar.close();
  }

  async #start(url: string, token: string, answer: ((needs: WatchNeeds) => WatchReply) | null): Promise<void> {
    const { restPose, gestures, headMotion, widthPx, heightPx } = this.#avatar;
    const still = { data: new Uint8Array(0), widthPx, heightPx };
    this.#engine = await createEngine({
      runtime,
      lipSyncModel,
      sampleRateHz: RATE_HZ,
      avatar: {
        restPose,
        gestures,
        headMotion,
        widthPx,
        heightPx,
        render: async (parameters, breath = 1) => {
          this.#pose = { parameters: parameters.slice(), breath };
          return still;
        },
        close: async () => undefined,
      },
    });
    await this.#room.connect(url, token, { autoSubscribe: false, dynacast: true });
    const local = this.#room.localParticipant!;
    if (answer === null) this.#needs = "video";
    else {
      local.registerRpcMethod(RPC_WATCH, async ({ payload }) => {
        const { needs } = parseWatchRequest(payload)!;
        this.asked.push(needs);
        const reply = answer(needs);
        if (reply.ok) this.#needs = reply.renders;
        return JSON.stringify(reply);
      });
    }
    const camera = new TrackPublishOptions({
      source: TrackSource.SOURCE_CAMERA,
      simulcast: false,
      videoEncoding: { maxBitrate: 1_000_000n, maxFramerate: 25 },
    });
    const microphone = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false });
    await local.publishTrack(LocalVideoTrack.createVideoTrack(TRACK_VIDEO, this.#video), camera);
    await local.publishTrack(LocalAudioTrack.createAudioTrack(TRACK_AUDIO, this.#audio), microphone);
    this.#timer = setInterval(() => {
      this.#stepping ??= this.#step().finally(() => {
        this.#stepping = undefined;
      });
    }, STEP_MS);
  }

  async #step(): Promise<void> {
    while (!this.isFrozen && this.#audio.queuedDuration < QUEUE_MS) {
      const leavesInMs = this.#audio.queuedDuration;
      const { audio, isSpeaking } = await this.#engine!.tick();
      const { parameters, breath } = this.#pose;
      const atMs = Math.round(this.#nowMs() + leavesInMs);
      this.#frames.push({ index: this.#index, atMs, isSpeaking, isStarved: false, parameters, breath });
      this.#frames = this.#frames.slice(-REPEATED);
      this.#index += 1;
      await this.#audio.captureFrame(new AudioFrame(audio.slice(), RATE_HZ, 1, audio.length));
      if (this.#needs === "motion") await this.#sendMotion();
      if (this.#needs === "video") await this.#sendVideo(parameters, breath, atMs);
    }
  }

  async #sendMotion(): Promise<void> {
    const packet = encodeMotionPacket({
      epoch: this.#epoch,
      sequence: this.#sequence++,
      sentAtMs: Math.round(this.#nowMs()),
      cuts: this.#cuts,
      frames: this.#frames,
    });
    if (this.#motionVersion !== undefined) packet[0] = this.#motionVersion;
    this.#kept.push(packet);
    if (this.isStalled) return;
    for (const packet of this.#kept.splice(0))
      await this.#room.localParticipant!.publishData(packet, { reliable: false, topic: TOPIC_MOTION });
  }

  async #sendVideo(parameters: Float32Array, breath: number, atMs: number): Promise<void> {
    const { data, widthPx, heightPx } = await this.#avatar.render(parameters, breath);
    const frame = new VideoFrame(data.slice(), widthPx, heightPx, VideoBufferType.I420);
    this.#video.captureFrame(frame, BigInt(Math.round(1000 * (atMs - this.#clockMs))));
  }

  #nowMs(): number {
    return performance.now() + this.#clockMs;
  }
}
