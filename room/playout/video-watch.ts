// Who needs what of the face: video, or the motion from which a participant renders it. While no participant needs
// video, its frames are neither rendered nor captured.
//
// Participants say what they need by RPC (`shared/watch.ts`), which is the fastest way. Subscribers that say nothing,
// hidden ones included, are found by what the server tells the sender of the video, which is read several times a
// second (`video-sender.ts`). Video is needed unless this is known to be false:
//
//   no reading, or a failed one        needed
//   the sender is paused               not needed: the server has said that it has no subscriber
//   it is active                       needed: a server without dynacast never pauses it
//   it is active from the start, and   needed until the track is announced, then once a key frame is requested
//   viewers are to render
import { type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import { parseWatchRequest, type WatchErrorCode, type WatchNeeds, type WatchReply } from "../../shared/watch.ts";
import { RPC_WATCH } from "../../shared/wire-names.ts";
import { RoomReturns } from "../participants/room-returns.ts";
import type { RoomLog } from "../room-log.ts";
import { readVideoSender, type VideoSender } from "./video-sender.ts";

/** How long video is rendered for a participant that says it needs it, before the server must have said so, ms. */
const DECLARED_MS = 5_000;
/** Intervals of readings, ms: while video is needed, while it is not, the same where viewers render and say what they
 *  need, and after something happened in the room. */
const WATCHED_INTERVAL_MS = 1_000;
const UNWATCHED_INTERVAL_MS = 400;
const VIEWERS_RENDER_INTERVAL_MS = 800;
const HURRIED_INTERVAL_MS = 100;
const HURRY_MS = 1_000;
/** Readings in a row that may fail before it counts as unknown whether video is needed. */
const FAILURES_ALLOWED = 2;
/** Frames after which the server has announced the track to other participants; it does so with the first packet. */
const ANNOUNCING_FRAMES = 10;
/** Most participants with needs that are kept. */
const MOST_PARTICIPANTS = 1_000;
/** The server announces a participant up to 3 s after it has joined, and thus after its first call, ms. */
const LATE_JOIN_MS = 5_000;
/** After a refused admission, video that is still needed is admitted this much later at the earliest, ms. */
const ADMISSION_RETRY_MS = 2_000;

export interface VideoWatchOptions {
  /** Connected as the avatar participant. */
  room: Room;
  logger: RoomLog;
  /** Whether participants may render the face themselves. Default false: a call for motion is FORBIDDEN. */
  viewersMayRender?: boolean;
  /** Whether viewers render from the start: no video until a viewer needs it, and then only if `admitVideo` says so.
   *  Default false. */
  viewersRender?: boolean;
  /** Asked before video is rendered in a session that viewers render. Default: always admitted. */
  admitVideo?(): boolean | Promise<boolean>;
  /** Admitted video is no longer needed: the worker is asked again for the next. */
  releaseVideo?(): void;
  /** Default: `readVideoSender`. */
  readSender?(): Promise<VideoSender | undefined>;
}

/** Follows a connected room from `start()` to `close()`. */
export class VideoWatch {
  readonly #options: VideoWatchOptions;
  readonly #returns: RoomReturns;
  readonly #needs = new Map<string, Exclude<WatchNeeds, "nothing">>();
  readonly #listeners = new Set<() => void>();
  /** By participant: after a call, whether it has joined. A participant may call as often as it likes. */
  #lateJoins = new Map<string, NodeJS.Timeout>();
  #declared: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #isReading = false;
  #isOpen = false;
  #sender: VideoSender | undefined;
  #failures = 0;
  /** The server has paused this sender before, so it does dynacast. */
  #wasPaused = false;
  #declaredUntilMs = Number.NEGATIVE_INFINITY;
  #hurriedUntilMs = Number.NEGATIVE_INFINITY;
  #needsVideo = true;
  #isAdmitted = false;
  #admission: Promise<boolean> | undefined;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: VideoWatchOptions) {
    this.#options = options;
    this.#returns = new RoomReturns({ room: options.room, onChange: this.#onReturns });
  }

  /** Registers the method, and begins to read. Once. */
  start(): void {
    const { room } = this.#options;
    this.#isOpen = true;
    room.localParticipant?.registerRpcMethod(RPC_WATCH, async ({ callerIdentity, payload }) =>
      JSON.stringify(await this.#answer(callerIdentity, payload)),
    );
    this.#returns.start();
    room.on(RoomEvent.ParticipantConnected, this.#hurry);
    room.on(RoomEvent.LocalTrackPublished, this.#hurry);
    room.on(RoomEvent.LocalTrackSubscribed, this.#hurry);
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
    this.#hurry();
  }

  /** Whether viewers render from the start. */
  get viewersRender(): boolean {
    return this.#options.viewersRender === true;
  }

  /** Whether frames are to be rendered and captured. */
  get needsVideo(): boolean {
    return this.#needsVideo;
  }

  /** The participants that render the face themselves. */
  get motionIdentities(): string[] {
    return [...this.#needs].flatMap(([identity, needs]) => (needs === "motion" ? identity : []));
  }

  /** Calls `listener` after each change of `needsVideo` or `motionIdentities`. Returns what ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops following; nothing changes after it. Idempotent. */
  close(): void {
    const { room } = this.#options;
    this.#isOpen = false;
    clearTimeout(this.#poll);
    clearTimeout(this.#declared);
    for (const timer of this.#lateJoins.values()) clearTimeout(timer);
    this.#returns.close();
    room.off(RoomEvent.ParticipantConnected, this.#hurry);
    room.off(RoomEvent.LocalTrackPublished, this.#hurry);
    room.off(RoomEvent.LocalTrackSubscribed, this.#hurry);
    room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
    this.#listeners.clear();
  }

  async #answer(identity: string, payload: string): Promise<WatchReply> {
    const request = parseWatchRequest(payload);
    if (!request) return refusal("VALIDATION_ERROR", 'The payload must be {"needs": "video" | "motion" | "nothing"}');
    const { needs } = request;
    if (needs === "motion" && !this.#options.viewersMayRender) {
      return refusal("FORBIDDEN", "The face of this session is not rendered by viewers");
    }
    const isNew = needs !== "nothing" && !this.#needs.has(identity);
    if (!this.#isOpen || (isNew && this.#needs.size >= MOST_PARTICIPANTS)) {
      return refusal("SERVICE_UNAVAILABLE", "The avatar takes no more viewers now");
    }
    if (needs === "video") {
      if (!(await this.#admit())) return refusal("SERVICE_UNAVAILABLE", "The avatar's video cannot be streamed now");
      this.#declaredUntilMs = performance.now() + DECLARED_MS;
      clearTimeout(this.#declared);
      this.#declared = setTimeout(() => this.#update(), DECLARED_MS).unref();
    }
    const before = this.#needs.get(identity);
    if (needs === "nothing") this.#needs.delete(identity);
    else this.#needs.set(identity, needs);
    if (before === undefined && needs !== "nothing") this.#expectJoin(identity);
    this.#update(before !== needs && (before === "motion" || needs === "motion"));
    this.#hurry();
    return { ok: true, renders: needs };
  }

  /** One question at a time. */
  #admit(): Promise<boolean> {
    const { viewersRender = false, admitVideo } = this.#options;
    if (!viewersRender || !admitVideo || this.#isAdmitted) return Promise.resolve(true);
    this.#admission ??= Promise.resolve()
      .then(admitVideo)
      .catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, "admission of video failed");
        return false;
      })
      .then((isAdmitted) => {
        this.#isAdmitted = isAdmitted;
        if (!isAdmitted) this.#refusedAtMs = performance.now();
        return isAdmitted;
      })
      .finally(() => {
        this.#admission = undefined;
      });
    return this.#admission;
  }

  #hurry = (): void => {
    this.#hurriedUntilMs = performance.now() + HURRY_MS;
    this.#readAfter(HURRIED_INTERVAL_MS);
  };

  #readAfter(ms: number): void {
    if (!this.#isOpen || this.#isReading) return;
    clearTimeout(this.#poll);
    this.#poll = setTimeout(() => void this.#read(), ms);
    this.#poll.unref();
  }

  async #read(): Promise<void> {
    const { room, readSender = () => readVideoSender(room) } = this.#options;
    this.#isReading = true;
    try {
      const sender = await readSender();
      if (sender?.id !== this.#sender?.id) this.#wasPaused = false;
      this.#sender = sender;
      this.#wasPaused ||= sender?.isActive === false;
      this.#failures = 0;
    } catch {
      // Also while the connection is restored. What was read before holds for a moment.
      this.#failures++;
      if (this.#failures > FAILURES_ALLOWED) this.#sender = undefined;
    }
    this.#isReading = false;
    if (!this.#isOpen) return;
    this.#update();
    const isHurried = performance.now() < this.#hurriedUntilMs;
    const unwatchedMs = this.viewersRender ? VIEWERS_RENDER_INTERVAL_MS : UNWATCHED_INTERVAL_MS;
    const steadyMs = this.#needsVideo ? WATCHED_INTERVAL_MS : unwatchedMs;
    this.#readAfter(isHurried ? HURRIED_INTERVAL_MS : steadyMs);
  }

  /** `hasChanged`: whether something else than `needsVideo` has. */
  #update(hasChanged = false): void {
    if (!this.#isOpen) return;
    const isWanted = this.#isWanted();
    if (!isWanted) this.#release();
    const isAllowed = this.#isAnnouncing || !this.#options.viewersRender || !this.#options.admitVideo;
    if (isWanted && !isAllowed && !this.#isAdmitted) this.#askAgain();
    const needsVideo = isWanted && (isAllowed || this.#isAdmitted);
    const isSame = needsVideo === this.#needsVideo;
    this.#needsVideo = needsVideo;
    if (!isSame) this.#options.logger.debug({ needsVideo }, "need for video changed");
    if (!isSame || hasChanged) for (const listener of this.#listeners) listener();
  }

  #release(): void {
    if (!this.#isAdmitted) return;
    this.#isAdmitted = false;
    this.#options.releaseVideo?.();
  }

  #isWanted(): boolean {
    if (performance.now() < this.#declaredUntilMs || !this.#sender) return true;
    if (!this.#sender.isActive) return false;
    return !this.#options.viewersRender || this.#wasPaused || this.#isAnnouncing || this.#sender.keyFrameRequests > 0;
  }

  /** Viewers are to render, and the video track is not known to all yet: senders wait for it. */
  get #isAnnouncing(): boolean {
    if (!this.#options.viewersRender) return false;
    return !this.#sender || (this.#sender.isActive && !this.#wasPaused && this.#sender.framesSent < ANNOUNCING_FRAMES);
  }

  /** A participant has subscribed without a call. */
  #askAgain(): void {
    if (this.#admission || performance.now() - this.#refusedAtMs < ADMISSION_RETRY_MS) return;
    void this.#admit().then((isAdmitted) => isAdmitted && this.#update());
  }

  #onLeft = ({ identity }: RemoteParticipant): void => {
    if (this.#returns.state === "steady") this.#forget(identity);
  };

  #onReturns = (): void => {
    this.#hurry();
    if (this.#returns.state === "steady") for (const identity of this.#needs.keys()) this.#forgetIfAbsent(identity);
  };

  #forgetIfAbsent(identity: string): void {
    if (this.#returns.state === "steady" && !this.#options.room.remoteParticipants.has(identity)) {
      this.#forget(identity);
    }
  }

  #forget(identity: string): void {
    const needs = this.#needs.get(identity);
    if (this.#needs.delete(identity)) this.#update(needs === "motion");
  }

  #expectJoin(identity: string): void {
    clearTimeout(this.#lateJoins.get(identity));
    const timer = setTimeout(() => {
      this.#lateJoins.delete(identity);
      this.#forgetIfAbsent(identity);
    }, LATE_JOIN_MS);
    this.#lateJoins.set(identity, timer.unref());
  }
}

function refusal(code: WatchErrorCode, message: string): WatchReply {
  return { ok: false, code, message };
}
