// An avatar in a real room, with a sender (a voice agent) and a listener (a user).
import {
  type AudioFrame,
  AudioStream,
  type Room,
  RoomEvent,
  TrackKind,
  type VideoFrameEvent,
  VideoStream,
} from "@livekit/rtc-node";
import { AvatarAttributes } from "../../../agent-worker/room/avatar-attributes.ts";
import { type AvatarRunner, startAvatarRunner } from "../../../agent-worker/room/avatar-runner.ts";
import { createLogger } from "../../../program/log.ts";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { VideoWatch } from "../../../room/playout/video-watch.ts";
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import {
  ATTRIBUTE_PUBLISH_ON_BEHALF,
  RPC_CLEAR_BUFFER,
  RPC_PLAYBACK_FINISHED,
  RPC_PLAYBACK_STARTED,
  TOPIC_AUDIO_STREAM,
  TRACK_AUDIO,
} from "../../../shared/wire-names.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { type TestLiveKit, withLiveKit } from "../livekit/with-livekit.ts";
import { waitFor } from "../wait-for.ts";
import { TestRoom } from "./test-room.ts";

export const AVATAR_IDENTITY = "avatar";

/** A grey frame that is brighter the wider the jaw is open. Protocol tests check audio and messages, so rendering is as
 *  cheap as possible. */
export function greyAvatar(sizePx = 64): Avatar {
  const data = new Uint8Array((sizePx * sizePx * 3) / 2).fill(128);
  return {
    widthPx: sizePx,
    heightPx: sizePx,
    restPose: {},
    gestures: new Map([["nod", new Float32Array(25 * FACE_PARAMETER_COUNT)]]),
    headMotion: 0,
    render: async (parameters) => {
      data.fill(Math.min(235, 60 + 175 * parameters[FACE_PARAMETER_INDEX.jaw]), 0, sizePx * sizePx);
      return { data, widthPx: sizePx, heightPx: sizePx };
    },
    close: async () => {},
  };
}

export interface PlaybackReport {
  method: "started" | "finished";
  positionS?: number;
  interrupted?: boolean;
  atMs: number;
}

export interface StreamOptions {
  sampleRateHz?: number;
  channels?: number;
  /** Replaces the attributes that describe the audio. */
  attributes?: Record<string, string>;
  /** Size of the pieces written; odd sizes split samples. */
  chunkBytes?: number;
}

/** A participant that sends speech as voice agents do, and records the playback reports. */
export class TestSender {
  readonly room: Room;
  readonly reports: PlaybackReport[] = [];

  constructor(room: Room) {
    this.room = room;
    room.localParticipant!.registerRpcMethod(RPC_PLAYBACK_STARTED, async () => {
      this.reports.push({ method: "started", atMs: performance.now() });
      return "";
    });
    room.localParticipant!.registerRpcMethod(RPC_PLAYBACK_FINISHED, async ({ payload }) => {
      const { playback_position, interrupted } = JSON.parse(payload);
      this.reports.push({ method: "finished", positionS: playback_position, interrupted, atMs: performance.now() });
      return "";
    });
  }

  get finished(): PlaybackReport[] {
    return this.reports.filter(({ method }) => method === "finished");
  }

  /** Sends samples (interleaved if several channels) and closes the stream. */
  async say(samples: Int16Array, options: StreamOptions = {}): Promise<void> {
    const stream = await this.open(options);
    await stream.write(samples);
    await stream.close();
  }

  async open(
    options: StreamOptions = {},
  ): Promise<{ write(samples: Int16Array): Promise<void>; close(): Promise<void> }> {
    const { sampleRateHz = 16_000, channels = 1, chunkBytes = 8_000 } = options;
    const writer = await this.room.localParticipant!.streamBytes({
      name: "speech",
      topic: TOPIC_AUDIO_STREAM,
      destinationIdentities: [AVATAR_IDENTITY],
      attributes: options.attributes ?? { sample_rate: String(sampleRateHz), num_channels: String(channels) },
    });
    return {
      write: async (samples) => {
        const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
        for (let at = 0; at < bytes.length; at += chunkBytes) await writer.write(bytes.subarray(at, at + chunkBytes));
      },
      close: () => writer.close(),
    };
  }

  clear(): Promise<string> {
    return this.room.localParticipant!.performRpc({
      destinationIdentity: AVATAR_IDENTITY,
      method: RPC_CLEAR_BUFFER,
      payload: "",
    });
  }
}

/** Ten milliseconds of audio at the listener. */
export interface AudibleFrame {
  atMs: number;
  rms: number;
  /** Zero crossings times fifty: a tone's frequency, Hz. */
  pitchHz: number;
}

/** A user that hears and sees the avatar. */
export class TestListener {
  readonly room: Room;
  readonly heard: AudibleFrame[] = [];
  readonly frames: { atMs: number; brightness: number }[] = [];

  constructor(room: Room) {
    this.room = room;
    room.on(RoomEvent.TrackSubscribed, (track, publication) => {
      if (track.kind === TrackKind.KIND_AUDIO && publication.name === TRACK_AUDIO) {
        void this.#listen(new AudioStream(track, 48_000, 1));
      } else if (track.kind === TrackKind.KIND_VIDEO) {
        void this.#watch(new VideoStream(track));
      }
    });
  }

  /** Duration of audible audio since a time, ms. */
  loudMs(sinceMs = 0, threshold = 300): number {
    return this.heard.filter(({ atMs, rms }) => atMs >= sinceMs && rms > threshold).length * 10;
  }

  async #listen(stream: AudioStream): Promise<void> {
    for await (const { data } of stream as unknown as AsyncIterable<AudioFrame>) {
      const atMs = performance.now();
      for (let at = 0; at + 480 <= data.length; at += 480) {
        let energy = 0;
        let crossings = 0;
        for (let i = at; i < at + 480; i++) {
          energy += data[i] * data[i];
          if (i > at && data[i] < 0 !== data[i - 1] < 0) crossings++;
        }
        this.heard.push({ atMs, rms: Math.sqrt(energy / 480), pitchHz: crossings * 50 });
      }
    }
  }

  async #watch(stream: VideoStream): Promise<void> {
    for await (const { frame } of stream as unknown as AsyncIterable<VideoFrameEvent>)
      this.frames.push({ atMs: performance.now(), brightness: frame.data[0] });
  }
}

export interface RoomAvatar extends TestLiveKit {
  avatarRoom: Room;
  runner: AvatarRunner;
  attributes: AvatarAttributes;
  listener: TestListener;
  /** Joins as a voice agent. The avatar is bound to `agent` unless told otherwise. */
  joinSender(identity: string): Promise<TestSender>;
}

export interface RoomAvatarOptions {
  /** Identity named in `lk.publish_on_behalf`; null for a token without it. Default `agent`. */
  boundTo?: string | null;
  avatar?: Avatar;
  silenceLimitMs?: number;
  codec?: "h264" | "vp8";
  /** Whether the face reacts to what users say. Default false. */
  hearsUsers?: boolean;
}

/** Runs `work` when the listener receives the avatar's tracks; leaves the room afterwards. */
export async function withRoomAvatar(
  work: (test: RoomAvatar) => Promise<void>,
  options: RoomAvatarOptions = {},
): Promise<void> {
  const { boundTo = "agent", avatar = greyAvatar() } = options;
  await withLiveKit(async (livekit) => {
    const rooms: Room[] = [];
    const join = async (token: string) => {
      const room = new TestRoom();
      await room.connect(livekit.url, token, { autoSubscribe: false, dynacast: true });
      rooms.push(room);
      return room;
    };
    const voice = new EspeakVoice();
    const engine = await createEngine({
      avatar,
      runtime: createNodeRuntime(),
      lipSyncModel: await loadLipSyncModel(),
      ...pacedEngine(),
    });
    const listenerRoom = new TestRoom();
    const listener = new TestListener(listenerRoom);
    rooms.push(listenerRoom);
    await listenerRoom.connect(livekit.url, await livekit.mintToken("user"), { autoSubscribe: true, dynacast: false });
    const livekitToken = await livekit.mintToken(AVATAR_IDENTITY, {
      kind: "agent",
      attributes: boundTo ? { [ATTRIBUTE_PUBLISH_ON_BEHALF]: boundTo } : undefined,
      grant: { canUpdateOwnMetadata: true },
    });
    const avatarRoom = await join(livekitToken);
    const failures: unknown[] = [];
    const logger = createLogger({ level: "silent", name: "test" });
    const attributes = new AvatarAttributes({ room: avatarRoom, livekitToken, logger });
    const watch = new VideoWatch({ room: avatarRoom, logger });
    watch.start();
    const runner = await startAvatarRunner({
      room: avatarRoom,
      watch,
      engine,
      widthPx: avatar.widthPx,
      heightPx: avatar.heightPx,
      voice,
      speech: { voiceId: "F1", language: "en" },
      codec: options.codec ?? "vp8",
      hearsUsers: options.hearsUsers,
      maxBitrateKbps: 2000,
      attributes,
      logger,
      onFailure: (error) => failures.push(error),
      silenceLimitMs: options.silenceLimitMs,
    });
    attributes.ready();
    try {
      await waitFor(() => listener.heard.length > 0 && listener.frames.length > 0, "the avatar's tracks arrive");
      await work({
        ...livekit,
        avatarRoom,
        runner,
        attributes,
        listener,
        joinSender: async (identity) =>
          new TestSender(
            await join(await livekit.mintToken(identity, { kind: "agent", grant: { canUpdateOwnMetadata: true } })),
          ),
      });
      if (failures.length > 0) throw failures[0];
    } finally {
      await runner.close();
      attributes.close();
      for (const room of rooms.reverse()) await room.disconnect();
      await engine.close();
      await voice.close();
    }
  });
}
