// Runs an avatar in a joined room: receives its sender's audio, speaks messages, publishes its tracks and reports
// playback. It connects room and engine.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../program/log.ts";
import { OtherSpeakers } from "../../room/participants/other-speakers.ts";
import { SenderBinding } from "../../room/participants/sender-binding.ts";
import { FramePacer } from "../../room/playout/frame-pacer.ts";
import { milestoneReached, type PlayoutEvent } from "../../room/playout/playout-event.ts";
import { PlayoutMetrics } from "../../room/playout/playout-metrics.ts";
import { publishAvatarTracks } from "../../room/playout/publish-avatar-tracks.ts";
import type { SpeechTap } from "../../room/playout/speech-tap.ts";
import { StartReserve } from "../../room/playout/start-reserve.ts";
import { AudioReceiver } from "../../room/sender/audio-receiver.ts";
import { PlaybackReporter } from "../../room/sender/playback-reporter.ts";
import type { OpenSegment } from "../../shared/runtime-api.ts";
import type { SpokenUtterance } from "../../src/conversation/turns/speech-output.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import type { SpeechOptions, Voice } from "../../src/speech/voice/voice.ts";
import type { PlayedUtterance } from "./audio-utterance.ts";
import type { AvatarAttributes } from "./avatar-attributes.ts";
import { Captions } from "./captions.ts";
import { registerRoomRpc } from "./register-room-rpc.ts";
import { RoomGestures } from "./room-gestures.ts";
import { Speaker } from "./speaker.ts";

export interface AvatarRunnerOptions {
  /** The room, connected as the avatar participant. */
  room: Room;
  /** Created with `pacedEngine`, with the same `reserve`. The runner does not close it. */
  engine: Engine;
  widthPx: number;
  heightPx: number;
  voice: Voice;
  /** Synthesizes messages. */
  speech: SpeechOptions;
  /** Whether sentences of messages have gestures. Default false. */
  hasSpeechCues?: boolean;
  /** Whether the face shows that it listens while users speak. A conversation tells the face itself. Default true. */
  followsSpeakers?: boolean;
  /** Gets the speech that is played. Default: nothing does. */
  tap?: SpeechTap;
  codec: "h264" | "vp8";
  maxBitrateKbps: number;
  /** Highest frame rate, fps. Default 25. */
  maxFps?: 25 | 12.5;
  /** Default: one of its own. */
  reserve?: StartReserve;
  /** Cores of the machine that were free lately. Default: always enough. */
  freeCores?(): number;
  /** Says whether the avatar speaks; it stays the caller's. Default: it is not said. */
  attributes?: AvatarAttributes;
  logger: Logger;
  /** Segments that an earlier process of this session left open. Default: none. */
  inherited?: readonly OpenSegment[];
  /** Something happened in the session. Default: not told. */
  onEvent?(event: PlayoutEvent): void;
  /** Called when the set of open segments changes. */
  onSegmentsChanged?(): void;
  /** Called when the set of waiting messages changes. */
  onMessagesChanged?(): void;
  /** Called once if the engine fails. */
  onFailure(error: unknown): void;
  /** Time without data after which an audio stream counts as ended, ms. Default 10,000. */
  silenceLimitMs?: number;
}

export interface AvatarRunner {
  readonly metrics: PlayoutMetrics;
  /** Speaks a message; resolves when the engine has its first sentence (see `Speaker.say`). */
  say(message: string): Promise<boolean>;
  /** Begins an utterance with text that comes piece by piece, for a conversation: one at a time, and no messages
   *  meanwhile. */
  speak(): SpokenUtterance;
  /** The same for an utterance with audio from elsewhere. */
  play(sampleRateHz: number): PlayedUtterance;
  /** Resolves when a participant has subscribed to the avatar's audio. */
  whenHeard(): Promise<void>;
  /** The face shows that it listens, or that it does not. */
  listens(isListening: boolean): void;
  /** Messages of which nothing has been heard yet, at most 20. */
  readonly waitingMessages: string[];
  /** Segments with senders who wait for the report of their end. */
  readonly openSegments: OpenSegment[];
  /** True while one of them plays. */
  readonly isPlaying: boolean;
  /** Reports segments that are still open as interrupted. Stops all of this; the room stays connected. Idempotent. */
  close(): Promise<void>;
}

/** Publishes the tracks, then starts playout and accepts audio: no audio is accepted before viewers can see the avatar.
 *  Rejects if the room refuses a track. */
export async function startAvatarRunner(options: AvatarRunnerOptions): Promise<AvatarRunner> {
  const { room, engine, logger, voice, speech, attributes } = options;
  const tracks = await publishAvatarTracks({ ...options, sampleRateHz: engine.sampleRateHz });
  options.onEvent?.(milestoneReached("published"));
  let hasSpoken = false;
  const metrics = new PlayoutMetrics();
  const binding = new SenderBinding(room);
  binding.start();
  const reporter = new PlaybackReporter({ room, logger, onChange: options.onSegmentsChanged });
  reporter.start();
  reporter.inherit(options.inherited ?? []);
  const gestures = new RoomGestures({
    engine,
    hasCues: options.hasSpeechCues ?? false,
    language: speech.language ?? "",
  });
  const captions = new Captions({
    room,
    audioTrackSid: () => tracks.audioTrackSid,
    onHeard: (sentence) => gestures.sentence(sentence),
    logger,
  });
  const onAudio = () => pacer.audioArrived();
  const speaker = new Speaker({
    engine,
    voice,
    speech,
    captions,
    logger,
    onAudio,
    clear: () => {
      gestures.interrupted();
      pacer.clear();
    },
    onWaiting: options.onMessagesChanged,
  });
  const pacer = new FramePacer({
    engine,
    tracks,
    metrics,
    maxFps: options.maxFps ?? 25,
    reserve: options.reserve ?? new StartReserve(),
    freeCores: options.freeCores ?? (() => Number.POSITIVE_INFINITY),
    logger,
    tap: options.tap,
    onFailure: options.onFailure,
    onEvent: options.onEvent,
    listener: {
      segmentStarted: (segmentId) => {
        if (!hasSpoken) options.onEvent?.(milestoneReached("first-speech"));
        hasSpoken = true;
        gestures.agentSpeaks(true);
        reporter.started(segmentId);
        speaker.started(segmentId);
        attributes?.started(segmentId);
      },
      segmentQueued: (segmentId, audio) => {
        reporter.queued(segmentId, audio);
        captions.queued(segmentId, audio);
        speaker.queued(segmentId, audio.untilMs);
      },
      segmentFinished: (segmentId, end) => {
        gestures.agentSpeaks(false);
        reporter.finished(segmentId, end);
        speaker.finished(segmentId, end);
        captions.finished(segmentId, end.positionMs);
        attributes?.finished(segmentId);
      },
    },
  });
  const receiver = new AudioReceiver({
    room,
    binding,
    engine,
    logger,
    silenceLimitMs: options.silenceLimitMs,
    onAudio,
    onSegment: (segmentId, senderIdentity) => reporter.open(segmentId, senderIdentity),
    onSegmentRefused: (segmentId) => reporter.finished(segmentId, { positionMs: 0, interrupted: true }),
  });
  pacer.start();
  registerRoomRpc({
    room,
    binding,
    clear: () => {
      speaker.clear();
      gestures.interrupted();
      const cutOff = pacer.clear();
      logger.debug({ segments: cutOff.length }, "cleared");
    },
    gestures,
  });
  receiver.start();
  attributes?.ready();
  const listens = (isListening: boolean): void => {
    engine.listening(isListening);
    gestures.userSpeaks(isListening);
  };
  const { followsSpeakers = true } = options;
  const others = followsSpeakers ? new OtherSpeakers({ room, onChange: listens }) : undefined;
  others?.start();
  return {
    whenHeard: () => tracks.whenHeard(),
    metrics,
    say: (message) => speaker.say(message),
    speak: () => speaker.speak(),
    play: (sampleRateHz) => speaker.play(sampleRateHz),
    listens,
    get waitingMessages() {
      return speaker.waiting;
    },
    get openSegments() {
      return reporter.openSegments;
    },
    get isPlaying() {
      return reporter.isPlaying;
    },
    close: async () => {
      others?.close();
      receiver.close();
      await reporter.close();
      speaker.clear();
      captions.close();
      binding.close();
      await pacer.close();
      await tracks.close();
    },
  };
}
