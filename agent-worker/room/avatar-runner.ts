// Runs an avatar in the room of its session: its face, the messages and conversations that it speaks, captions,
// gestures, expressions and attributes.
import type { Logger } from "../../program/log.ts";
import { FaceInRoom, type FaceInRoomOptions } from "../../room/face-in-room.ts";
import { LoudestMicrophone } from "../../room/participants/loudest-microphone.ts";
import { OtherSpeakers } from "../../room/participants/other-speakers.ts";
import type { PlayoutMetrics } from "../../room/playout/playout-metrics.ts";
import type { OpenSegment } from "../../shared/runtime-api.ts";
import { RPC_SET_EMOTION, RPC_TRIGGER_DYNAMICS } from "../../shared/wire-names.ts";
import type { SpokenUtterance } from "../../src/conversation/turns/speech-output.ts";
import type { HeardOfUser } from "../../src/face/motion/listening-reactions.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import type { SpeechOptions, Voice } from "../../src/speech/voice/voice.ts";
import type { PlayedUtterance } from "./audio-utterance.ts";
import type { AvatarAttributes } from "./avatar-attributes.ts";
import { Captions } from "./captions.ts";
import { type RequestedExpression, RoomExpressions } from "./room-expressions.ts";
import { RoomGestures } from "./room-gestures.ts";
import { Speaker } from "./speaker.ts";

export interface AvatarRunnerOptions extends Omit<FaceInRoomOptions, "listener" | "onInterrupted" | "logger"> {
  logger: Logger;
  voice: Voice;
  /** Synthesizes messages. */
  speech: SpeechOptions;
  /** Whether sentences of messages have gestures. Default false. */
  hasSpeechCues?: boolean;
  /** Whether the face shows that it listens while users speak. A conversation tells the face itself. Default true. */
  followsSpeakers?: boolean;
  /** Whether the face reacts to what it hears in the loudest user's microphone; only if it follows the speakers.
   *  Default false. */
  hearsUsers?: boolean;
  /** Says whether the avatar speaks; it stays the caller's. Default: it is not said. */
  attributes?: AvatarAttributes;
  /** Segments that an earlier process of this session left open. Default: none. */
  inherited?: readonly OpenSegment[];
  /** What a participant had set in an earlier process of this session. Default: nothing. */
  requestedExpression?: RequestedExpression;
  /** Called when the set of waiting messages changes. */
  onMessagesChanged?(): void;
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
  /** The face reacts to what is heard of the person (`Engine.heard`). */
  hears(what: HeardOfUser): void;
  /** The face shows that it thinks about an answer, or that it does not. */
  thinks(isThinking: boolean): void;
  /** The face as it is now (`FaceInRoom.still`). */
  still(): Promise<I420Frame>;
  /** Messages of which nothing has been heard yet, at most 20. */
  readonly waitingMessages: string[];
  /** What a participant has set and still holds. */
  readonly requestedExpression: RequestedExpression | undefined;
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
  /** Segments that are heard. */
  const speaking = new Set<string>();
  const face = await FaceInRoom.publish({
    ...options,
    listener: {
      segmentStarted: (segmentId) => {
        speaking.add(segmentId);
        if (microphone) microphone.isIgnored = true;
        gestures.agentSpeaks(true);
        speaker.started(segmentId);
        attributes?.started(segmentId);
      },
      segmentQueued: (segmentId, audio) => {
        captions.queued(segmentId, audio);
        speaker.queued(segmentId, audio.untilMs);
      },
      segmentFinished: (segmentId, end) => {
        speaking.delete(segmentId);
        if (microphone) microphone.isIgnored = speaking.size > 0;
        gestures.agentSpeaks(false);
        speaker.finished(segmentId, end);
        captions.finished(segmentId, end.positionMs);
        attributes?.finished(segmentId);
      },
    },
    onInterrupted: () => {
      speaker.clear();
      gestures.interrupted();
    },
  });
  const gestures = new RoomGestures({
    engine,
    hasCues: options.hasSpeechCues ?? false,
    language: speech.language ?? "",
  });
  const expressions = new RoomExpressions({ engine });
  if (options.requestedExpression) expressions.restore(options.requestedExpression);
  const captions = new Captions({
    room,
    expression: () => expressions.current,
    audioTrackSid: () => face.audioTrackSid,
    onHeard: (sentence) => gestures.sentence(sentence),
    logger,
  });
  const speaker = new Speaker({
    engine,
    voice,
    speech,
    captions,
    logger,
    onAudio: () => face.audioArrived(),
    clear: () => {
      gestures.interrupted();
      face.clear();
    },
    onWaiting: options.onMessagesChanged,
  });
  room.localParticipant?.registerRpcMethod(RPC_TRIGGER_DYNAMICS, async ({ payload }) => gestures.perform(payload));
  room.localParticipant?.registerRpcMethod(RPC_SET_EMOTION, async ({ payload }) => expressions.perform(payload));
  const listens = (isListening: boolean): void => {
    engine.listening(isListening);
    gestures.userSpeaks(isListening);
  };
  const { followsSpeakers = true, hearsUsers = false } = options;
  const hears = (what: HeardOfUser): void => engine.heard(what);
  const others = followsSpeakers ? new OtherSpeakers({ room, onChange: listens }) : undefined;
  const microphone = followsSpeakers && hearsUsers ? new LoudestMicrophone({ room, onHeard: hears }) : undefined;
  face.start(options.inherited);
  others?.start();
  microphone?.start();
  return {
    whenHeard: () => face.whenHeard(),
    still: () => face.still(),
    metrics: face.metrics,
    say: (message) => speaker.say(message),
    speak: () => speaker.speak(),
    play: (sampleRateHz) => speaker.play(sampleRateHz),
    listens,
    hears,
    thinks: (isThinking) => engine.thinking(isThinking),
    get waitingMessages() {
      return speaker.waiting;
    },
    get requestedExpression() {
      return expressions.requested;
    },
    get openSegments() {
      return face.openSegments;
    },
    get isPlaying() {
      return face.isPlaying;
    },
    close: async () => {
      others?.close();
      microphone?.close();
      expressions.close();
      await face.closeSender();
      speaker.clear();
      captions.close();
      await face.close();
    },
  };
}
