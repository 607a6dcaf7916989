// One avatar session, from its job to its end.
//
//   connecting  the avatar is being loaded, the media room joined         → live, or ending if anything fails
//   live        tracks are published, audio plays, heartbeats are sent    → ending, on the first reason to end
//   ending      the room is left and everything closed, in reverse order  → ended
//   ended       the end is reported to the api, all resources are released
//
// Reasons to end: the room (last user left, avatar removed, room closed, connection lost), the api (end call, answer to
// a heartbeat), the worker (draining), the time limit, a failure (join, avatar, engine).
import { setTimeout as delay } from "node:timers/promises";
import { HttpRefusal } from "../../program/http/json-client.ts";
import type { Logger } from "../../program/log.ts";
import type { AddressRule } from "../../program/outgoing/address-rules.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { milestoneReached } from "../../room/playout/playout-event.ts";
import type { SpeechTap } from "../../room/playout/speech-tap.ts";
import type { StartReserve } from "../../room/playout/start-reserve.ts";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import type { EndReason, JobDescription, OpenSegment, TurnRecord, TypingMode } from "../../shared/runtime-api.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import type { Avatar } from "../../src/face/rendering/avatar.ts";
import { DEFAULT_LANGUAGE, isLanguageCode, primaryLanguage } from "../../src/speech/languages/languages.ts";
import { takeExpressionTags } from "../../src/speech/text/expression-tags.ts";
import { isSpeakableVoice } from "../../src/speech/voice/shaping/shaped-speech.ts";
import type { SpeechOptions, Voice } from "../../src/speech/voice/voice.ts";
import { DEFAULT_VOICE_ID } from "../../src/speech/voice/voice-catalogue.ts";
import { EchoGuard } from "../conversation/person/echo-guard.ts";
import type { RoomConversation } from "../conversation/room-conversation.ts";
import type { ConversationInRoom } from "../conversation/start-conversation.ts";
import type { AvatarAttributes, AvatarError } from "../room/avatar-attributes.ts";
import { type AvatarRunner, startAvatarRunner } from "../room/avatar-runner.ts";
import { maySubscribe } from "../room/may-subscribe.ts";
import type { MediaRoom } from "../room/media-room.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { SessionWork } from "./cpu-shares.ts";
import { Heartbeat } from "./heartbeat.ts";
import { OpenedResources } from "./opened-resources.ts";
import { RenderedVideo } from "./rendered-video.ts";
import { type RuntimeApiClient, refusesSession } from "./runtime-api-client.ts";
import { ServedTime } from "./served-time.ts";
import type { SessionCheckpoint, SessionEventBody } from "./session-event.ts";
import { JoinError, joinSessionRoom, type SessionRoom } from "./session-room.ts";
import { StillCamera } from "./still-camera.ts";
import { VoiceAhead } from "./voice-ahead.ts";

/** Longest session on the service's own workers, by contract. */
const DURATION_LIMIT_S = 24 * 3600;
const METRICS_INTERVAL_MS = 10_000;
/** Longest wait for the first sentence of a message; after that the message counts as accepted. */
const SPEAK_ANSWER_MS = 1_500;
/** From when a session is live until its voice is loaded, ms: the first frames are rendered meanwhile. */
const VOICE_DELAY_MS = 500;

type SessionRunState = "connecting" | "live" | "ending" | "ended";

const MOVES = defineMoves<SessionRunState>({
  connecting: ["live", "ending"],
  live: ["ending"],
  ending: ["ended"],
  ended: [],
});

export interface SessionRunOptions {
  api: RuntimeApiClient;
  job: JobDescription;
  voice: Voice;
  /** Whether the voice is loaded as soon as the session is live, before anything is spoken. */
  expectsSpeech: boolean;
  codec: "h264" | "vp8";
  maxBitrateKbps: number;
  /** Highest frame rate, fps. */
  maxFps: 25 | 12.5;
  /** What the engine keeps back. */
  reserve: StartReserve;
  /** Cores of the machine that were free lately. */
  freeCores(): number;
  /** Decides which addresses the media room's LiveKit server may have. */
  mayContact: AddressRule;
  logger: Logger;
  /** Fetches (or bakes) and opens the avatar. */
  loadAvatar(job: JobDescription): Promise<Avatar>;
  /** Creates the engine for the avatar. */
  createEngine(avatar: Avatar): Promise<Engine>;
  /** Asks the worker whether a session that viewers render may stream video. */
  admitVideo(): Promise<boolean>;
  /** Tells the worker that it no longer does. */
  releaseVideo(): void;
  /** Something happened in the session. */
  onEvent(event: SessionEventBody): void;
  /** Where an earlier process of this dispatch was interrupted; null if there was none. */
  checkpoint: SessionCheckpoint | null;
  /** Starts the conversation; null for a session without one. */
  startConversation: ((options: ConversationInRoom) => Promise<RoomConversation>) | null;
}

/** How long the parts of a start took, ms. They run at the same time. */
interface StartTimes {
  joinedMs: number;
  openedMs: number;
}

export class SessionRun {
  readonly #options: SessionRunOptions;
  readonly #opened: OpenedResources;
  readonly #state = new StateMachine(MOVES, "connecting");
  #runner: AvatarRunner | undefined;
  #conversation: RoomConversation | undefined;
  #heartbeat: Heartbeat | undefined;
  #attributes: AvatarAttributes | undefined;
  #stillCamera: StillCamera | undefined;
  readonly #startTimes: StartTimes = { joinedMs: 0, openedMs: 0 };
  #engine: Engine | undefined;
  /** The session's voice. */
  readonly #voice: VoiceAhead;
  readonly #served: ServedTime;
  readonly #checkpoints: Checkpoints;
  #ending: Promise<void> | undefined;
  #announceEnd: (reason: EndReason) => void = () => undefined;
  /** Resolves with the reason after everything is closed and the end was reported to the api. */
  readonly ended: Promise<EndReason>;

  constructor(options: SessionRunOptions) {
    this.#options = options;
    this.#opened = new OpenedResources(options.logger);
    this.#voice = new VoiceAhead(options.voice);
    const { checkpoint, job, onEvent } = options;
    this.#served = new ServedTime({ checkpoint, viewersMayRender: job.viewers_may_render === true });
    this.#checkpoints = new Checkpoints({
      isPlaying: () => this.#runner?.isPlaying === true,
      read: () => this.#checkpoint,
      tell: (next) => onEvent({ type: "checkpoint", checkpoint: next }),
    });
    this.ended = new Promise((resolve) => {
      this.#announceEnd = resolve;
    });
  }

  get state(): SessionRunState {
    return this.#state.current;
  }

  /** Time that this thread has spent on the session's face, ms. */
  get work(): SessionWork {
    const { lipSyncMs = 0, renderMs = 0 } = this.#engine?.stats() ?? {};
    return { lipSyncMs, renderMs };
  }

  /** Goes live, or ends. Resolves in both cases and never rejects. */
  async start(): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.#goLive();
    } catch (error) {
      if (!this.#state.is("connecting")) return;
      logger.error({ err: error }, "avatar session failed");
      await (error instanceof JoinError ? this.end("join_failed") : this.#fail(error));
    }
  }

  /** Speaks a message. Throws ServiceError if the session is not live, EngineError if the voice fails before
   *  the first sentence. */
  async speak(message: string): Promise<void> {
    if (!this.#state.is("live") || !this.#runner) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "The avatar session is not live");
    }
    const saying = this.#conversation?.speak(message) ?? this.#runner.say(message);
    // The caller's timeout is 5 s. A message that waits behind others, or a slow machine, must not look like a failed
    // delivery.
    await Promise.race([saying, delay(SPEAK_ANSWER_MS, undefined, { ref: false })]);
    saying.catch(() => undefined);
  }

  /** Passes context to the conversation. Throws ServiceError if there is none. */
  async addContext(context: string): Promise<void> {
    if (!this.#conversation) throw noConversation();
    this.#conversation.addContext(context);
  }

  /** Takes what the person has typed: a turn of the conversation, or a line for the avatar to say; without a
   *  conversation, a line. Throws like `speak`. */
  async type(text: string, mode: TypingMode): Promise<void> {
    if (this.#conversation && mode === "ask") return this.#conversation.ask(text);
    this.#conversation?.noteLine(text);
    await this.speak(text);
  }

  /** A JPEG of the face as it is now (`StillCamera.take`). Throws ServiceError if the session is not live. */
  still(): Promise<Uint8Array> {
    const runner = this.#runner;
    if (!this.#state.is("live") || !runner) {
      return Promise.reject(new ServiceError("SERVICE_UNAVAILABLE", "The avatar session is not live"));
    }
    this.#stillCamera ??= new StillCamera({ frame: () => runner.still() });
    return this.#stillCamera.take();
  }

  /** The turns of the conversation after that number, with what the language model was told. Throws ServiceError
   *  without a conversation. */
  turns(after: number): readonly TurnRecord[] {
    if (!this.#conversation) throw noConversation();
    return this.#conversation.turnsAfter(after);
  }

  /** Ends the session for the first reason given; resolves when it has ended. Safe to repeat. */
  end(reason: EndReason): Promise<void> {
    this.#ending ??= this.#close(reason);
    return this.#ending;
  }

  async #goLive(): Promise<void> {
    const { job, logger } = this.#options;
    const startMs = performance.now();
    this.#prepareGreeting();
    // First the room: connecting is the network's work, opening the avatar is this thread's.
    const joining = this.#join();
    const [avatar, joined] = await this.#openAll(this.#options.loadAvatar(job), joining);
    const { mediaRoom, watch } = joined;
    const engine = this.#opened.keep(await this.#options.createEngine(avatar));
    this.#engine = engine;
    this.#assertConnecting();
    const echo = job.conversation ? new EchoGuard(engine.sampleRateHz) : undefined;
    const runner = this.#opened.keep(await this.#startRunner(joined, avatar, engine, echo));
    this.#assertConnecting();
    this.#runner = runner;
    await this.#startConversation(mediaRoom, runner, echo);
    this.#assertConnecting();
    // Clients that wait for it speak or type at once.
    this.#attributes?.ready();
    const onChange = (isRendered: boolean) => this.#options.onEvent({ type: "video", isRendered });
    this.#served.begin(this.#opened.keep(new RenderedVideo({ watch, onChange })));
    this.#state.enter("live");
    const { joinedMs, openedMs } = this.#startTimes;
    const durationMs = Math.round(performance.now() - startMs);
    logger.info({ durationMs, joinedMs, openedMs, renderedBy: avatar.renderedBy }, "avatar session live");
    this.#startHeartbeat(mediaRoom);
    this.#startTimers(runner);
    this.#speakInherited(runner);
    this.#warmUpVoice();
    this.#checkpoints.tell();
    await this.#reportLive(mediaRoom);
  }

  async #startConversation({ room }: MediaRoom, runner: AvatarRunner, echo: EchoGuard | undefined): Promise<void> {
    const { api, job, logger, onEvent, startConversation } = this.#options;
    if (!startConversation || !echo) return;
    const conversation = await startConversation({
      room,
      avatar: runner,
      echo,
      attributes: this.#attributes,
      api,
      job,
      language: languageOf(job),
      whenHeard: () => runner.whenHeard(),
      onEvent,
      logger,
    });
    this.#conversation = this.#opened.keep(conversation);
  }

  /** The person hears it as soon as they see the avatar. */
  #prepareGreeting(): void {
    const { job, expectsSpeech, checkpoint } = this.#options;
    if (!expectsSpeech || !job.conversation || !job.greeting || job.providers || checkpoint) return;
    const speech = this.#speech;
    const language = job.greeting_language ?? "";
    const { text: greeting } = takeExpressionTags(job.greeting);
    this.#voice.prepare(greeting, isLanguageCode(primaryLanguage(language)) ? { ...speech, language } : speech);
  }

  get #speech(): SpeechOptions {
    const { job } = this.#options;
    // If this worker lacks the agent's voice or language, the default voice speaks.
    return { voiceId: isSpeakableVoice(job.voice_id) ? job.voice_id : DEFAULT_VOICE_ID, language: languageOf(job) };
  }

  #warmUpVoice(): void {
    const { job, expectsSpeech } = this.#options;
    if (!expectsSpeech) return;
    const timer = setTimeout(() => this.#voice.warmUp(languageOf(job)), VOICE_DELAY_MS);
    this.#opened.keep({ close: () => clearTimeout(timer) });
  }

  /** The session goes on if the api cannot be reached. It ends if the api has ended it or given it to another
   *  worker. */
  async #reportLive(mediaRoom: MediaRoom): Promise<void> {
    const { api, logger } = this.#options;
    try {
      const mind = this.#conversation && { mind: this.#conversation.mindKind };
      await api.reportEvent({ event: "live", served_seconds: 0, room: mediaRoom.report(), ...mind });
    } catch (error) {
      logger.warn({ err: error }, "going live not reported");
      if (refusesSession(error)) await this.end("ended_by_api");
    }
  }

  /** Waits for both, so that the result of one is closed if the other fails. */
  async #openAll(avatar: Promise<Avatar>, joined: Promise<SessionRoom>): Promise<[Avatar, SessionRoom]> {
    const startMs = performance.now();
    const keep = (step: keyof StartTimes) => (opened: Avatar | SessionRoom) => {
      this.#startTimes[step] = Math.round(performance.now() - startMs);
      this.#options.onEvent(milestoneReached(step === "joinedMs" ? "joined" : "opened"));
      this.#opened.keep(opened);
    };
    const results = await Promise.allSettled([avatar.then(keep("openedMs")), joined.then(keep("joinedMs"))]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    this.#assertConnecting();
    return Promise.all([avatar, joined]);
  }

  async #join(): Promise<SessionRoom> {
    const joined = await joinSessionRoom({
      ...this.#options,
      onEnd: (reason) => void this.end(reason),
      onVacancy: (isVacant) => {
        this.#options.onEvent({ type: "vacancy", isVacant });
        this.#heartbeat?.hurry();
      },
    });
    this.#attributes = joined.attributes;
    return joined;
  }

  #startRunner(
    { mediaRoom, watch }: SessionRoom,
    avatar: Avatar,
    engine: Engine,
    tap: SpeechTap | undefined,
  ): Promise<AvatarRunner> {
    const { job, codec, maxBitrateKbps, maxFps, reserve, freeCores, logger, onEvent } = this.#options;
    return startAvatarRunner({
      room: mediaRoom.room,
      engine,
      widthPx: avatar.widthPx,
      heightPx: avatar.heightPx,
      voice: this.#voice,
      speech: this.#speech,
      hasSpeechCues: job.dynamics_enabled === true && job.manner !== "still",
      tap,
      followsSpeakers: !job.conversation,
      hearsUsers: job.listen !== false && maySubscribe(job.livekit_token),
      codec,
      maxBitrateKbps,
      maxFps,
      reserve,
      freeCores,
      attributes: this.#attributes,
      logger,
      inherited: this.#inherited,
      requestedExpression: this.#options.checkpoint?.requestedExpression,
      watch,
      onEvent,
      onSegmentsChanged: () => {
        mediaRoom.noteAudio();
        this.#checkpoints.tell();
        this.#heartbeat?.hurry();
      },
      onMessagesChanged: () => this.#checkpoints.tell(),
      onFailure: (error) => {
        logger.error({ err: error }, "engine failed");
        void this.#fail(error);
      },
    });
  }

  #startHeartbeat(mediaRoom: MediaRoom): void {
    const { api, job, logger, checkpoint } = this.#options;
    const heartbeat = this.#opened.keep(
      new Heartbeat({
        api,
        intervalMs: job.beat_interval_s * 1000,
        servedSeconds: () => this.#served.seconds,
        watchedSeconds: () => this.#conversation?.watchedSeconds,
        viewerSeconds: () => this.#served.viewerSeconds,
        mind: () => this.#conversation?.mindKind,
        room: () => mediaRoom.report(),
        isVacant: () => mediaRoom.isVacant,
        openSegments: () => this.#openSegments,
        lastSeq: checkpoint?.heartbeatSeq,
        onStop: (reason) => void this.end(reason),
        logger,
      }),
    );
    heartbeat.start();
    if (mediaRoom.isVacant) heartbeat.hurry();
    this.#heartbeat = heartbeat;
  }

  /** Segments that an earlier process left open: the process before this one on this worker, or the previous worker. */
  get #inherited(): OpenSegment[] {
    const { checkpoint, job } = this.#options;
    return checkpoint?.isLive ? checkpoint.openSegments : job.open_segments;
  }

  get #openSegments(): OpenSegment[] {
    return this.#runner?.openSegments ?? this.#inherited;
  }

  get #checkpoint(): SessionCheckpoint | undefined {
    if (!this.#state.is("live")) return undefined;
    return {
      runtimeToken: this.#options.api.token,
      isLive: true,
      servedSeconds: this.#served.seconds,
      viewerSeconds: this.#served.viewerSeconds,
      heartbeatSeq: this.#heartbeat?.seq ?? 0,
      openSegments: this.#openSegments,
      waitingMessages: this.#runner?.waitingMessages ?? [],
      requestedExpression: this.#runner?.requestedExpression,
    };
  }

  /** Speaks what waited when the process before this one died. */
  #speakInherited(runner: AvatarRunner): void {
    const { checkpoint, logger } = this.#options;
    for (const message of checkpoint?.waitingMessages ?? []) {
      runner.say(message).catch((error: unknown) => logger.warn({ err: error }, "inherited message not spoken"));
    }
  }

  #startTimers(runner: AvatarRunner): void {
    const { duration_limit_s: limitS = DURATION_LIMIT_S } = this.#options.job;
    const leftMs = Math.max(0, limitS - this.#served.seconds) * 1000;
    const limit = setTimeout(() => void this.end("duration_limit"), leftMs);
    const tell = () => this.#options.onEvent({ type: "playout", report: runner.metrics.report() });
    const report = setInterval(tell, METRICS_INTERVAL_MS);
    this.#checkpoints.start();
    this.#opened.keep(this.#checkpoints);
    this.#opened.keep({
      close: () => {
        clearTimeout(limit);
        clearInterval(report);
        tell();
      },
    });
  }

  /** Ends because the avatar cannot be shown, once its room has been told so. */
  async #fail(error: unknown): Promise<void> {
    await this.#attributes?.fail(avatarErrorOf(error));
    await this.end("model_failed");
  }

  async #close(reason: EndReason): Promise<void> {
    const { api, logger } = this.#options;
    const servedSeconds = this.#served.seconds;
    const viewerSeconds = this.#served.viewerSeconds;
    this.#state.enter("ending");
    await this.#opened.close();
    this.#options.onEvent({ type: "left", reason });
    try {
      // The next worker tells the senders that could not be told; through a lost connection, none could.
      const isMoving = reason === "worker_lost" || reason === "worker_draining";
      const handedOn = isMoving ? { open_segments: this.#openSegments } : {};
      await api.reportEvent({
        event: "ended",
        reason,
        served_seconds: servedSeconds,
        watched_seconds: this.#conversation?.watchedSeconds,
        viewer_rendered_seconds: viewerSeconds,
        ...handedOn,
      });
    } catch (error) {
      // A refusal means that the api ended the session itself. In other cases the api ends it when heartbeats stop.
      const isKnown = refusesSession(error);
      if (isKnown) logger.debug({ err: error }, "end not reported");
      else logger.warn({ err: error }, "end not reported");
    }
    this.#state.enter("ended");
    logger.info({ reason, servedSeconds }, "avatar session ended");
    this.#announceEnd(reason);
  }

  #assertConnecting(): void {
    if (!this.#state.is("connecting")) throw new Error("the avatar session ended while it was connecting");
  }
}

/** What the room is told about an avatar that cannot be shown: its model's file is missing, or something else. */
function avatarErrorOf(error: unknown): AvatarError {
  const isMissing = error instanceof HttpRefusal && error.status === 404;
  const hasNone = isServiceError(error) && error.code === "MODEL_ARTIFACT_NOT_READY";
  return isMissing || hasNone ? "model_not_generated" : "model_failed";
}

function languageOf({ language }: JobDescription): string {
  return isLanguageCode(primaryLanguage(language)) ? language : DEFAULT_LANGUAGE;
}

function noConversation(): ServiceError {
  return new ServiceError("SERVICE_UNAVAILABLE", "No conversation is attached to this avatar session");
}
