// Reports the playback of each segment to its sender: `lk.playback_started` once, `lk.playback_finished` exactly once.
// While the connection is being restored and its sender has not returned, reports wait. What is not reported yet can be
// handed to the next process of the session, which then reports it.
import { setTimeout as delay } from "node:timers/promises";
import { type RemoteParticipant, type Room, RoomEvent, RpcError } from "@livekit/rtc-node";
import type { OpenSegment } from "../../shared/runtime-api.ts";
import { RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED } from "../../shared/wire-names.ts";
import { type ReturnState, RoomReturns } from "../participants/room-returns.ts";
import type { QueuedAudio, SegmentEnd } from "../playout/heard-events.ts";
import type { RoomLog } from "../room-log.ts";

const ATTEMPTS = 3;
/** The contract's pause before a call is repeated. */
const RETRY_DELAY_MS = 100;
const RETRY_JITTER_MS = 30;
const RESPONSE_TIMEOUT_MS = 2_000;
/** A report waits at most this long for the answer to the previous one, to keep their order, once its sender can be
 *  reached: a slow sender must not delay it further. */
const ORDER_WAIT_MS = 250;
/** Longest wait for the last reports when the session ends. */
const LAST_REPORTS_MS = 1_000;
/** Most segments that wait for their report: what a session can hand on. Only a sender that opens hundreds of streams a
 *  second has so many, of which the engine refuses nearly all; it misses the reports of the rest. */
const OPEN_LIMIT_SEGMENTS = 1_000;

/** Errors after which a repeated call cannot succeed: no such participant, or it has no such method. */
const FINAL_CODES: readonly number[] = [
  RpcError.ErrorCode.UNSUPPORTED_METHOD,
  RpcError.ErrorCode.RECIPIENT_NOT_FOUND,
  RpcError.ErrorCode.RECIPIENT_DISCONNECTED,
  RpcError.ErrorCode.UNSUPPORTED_SERVER,
  // The handler ran and failed: calling it again could report the same segment twice.
  RpcError.ErrorCode.APPLICATION_ERROR,
];

export interface PlaybackReporterOptions {
  room: Room;
  logger: RoomLog;
  /** Called when a segment was opened, or its end was reported. */
  onChange?(): void;
  /** How long senders may take to return after the avatar's own connection was restored, ms. Default 20,000. */
  returnLimitMs?: number;
}

/** `away` while it may return. */
type Presence = "here" | "away" | "left";

interface Sender {
  readonly identity: string;
  presence: Presence;
  /** The last report to it. `begun`: it may be sent. `done`: it needs no further attempt. */
  last: { begun: Promise<void>; done: Promise<void> };
}

interface Segment {
  readonly sender: Sender;
  /** `lk.playback_started` has been sent. */
  isStarted: boolean;
  /** The last audio that was queued, and when its beginning is heard (ms of `performance.now`). */
  queued: (QueuedAudio & { atMs: number }) | null;
  /** Set when it is over; its report is in flight then. */
  end: SegmentEnd | null;
}

/** Sends reports in order, without waiting long for slow answers. Nothing here throws: a sender that does not answer
 *  misses its reports, and the avatar goes on. */
export class PlaybackReporter {
  readonly #options: PlaybackReporterOptions;
  readonly #returns: RoomReturns;
  /** Calls that wait until they may be sent or have become pointless, in their order. */
  readonly #waiting = new Set<() => void>();
  /** End the wait for answers to calls, when the connection is lost. */
  readonly #pending = new Set<() => void>();
  /** Senders in the room, by identity. The participant list is not used: the server announces a new participant that
   *  publishes nothing up to 3 s late. */
  readonly #senders = new Map<string, Sender>();
  /** In the order in which they were opened. */
  readonly #segments = new Map<string, Segment>();
  /** When waiting calls were last resumed, ms of `performance.now`. */
  #wokenMs = 0;
  #inheritedCount = 0;
  #isClosed = false;

  constructor(options: PlaybackReporterOptions) {
    this.#options = options;
    const { room, returnLimitMs: limitMs } = options;
    this.#returns = new RoomReturns({ room, limitMs, onChange: (state) => this.#onReturns(state) });
  }

  /** Follows who comes and goes. Once. */
  start(): void {
    const { room } = this.#options;
    this.#returns.start();
    room.on(RoomEvent.ParticipantConnected, this.#onJoined);
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Segments that are not reported as finished yet, in the order in which they were opened. */
  get openSegments(): OpenSegment[] {
    return [...this.#segments.values()].map((segment) => ({
      sender_identity: segment.sender.identity,
      position_ms: Math.round(segment.end?.positionMs ?? heardMs(segment)),
      interrupted: segment.end?.interrupted ?? true,
    }));
  }

  /** True while one of them plays. */
  get isPlaying(): boolean {
    return [...this.#segments.values()].some(({ isStarted, end }) => isStarted && end === null);
  }

  /** Reports segments that an earlier process of this session left open, in their order. Call it before any segment is
   *  opened. */
  inherit(segments: readonly OpenSegment[]): void {
    for (const { sender_identity, position_ms, interrupted } of segments) {
      const segmentId = `inherited-${++this.#inheritedCount}`;
      this.open(segmentId, sender_identity);
      this.finished(segmentId, { positionMs: position_ms, interrupted });
    }
  }

  /** Registers a segment of this sender. Reports about other segments are dropped, also if too many are open. */
  open(segmentId: string, senderIdentity: string): void {
    if (this.#segments.size >= OPEN_LIMIT_SEGMENTS) {
      this.#options.logger.debug({ segmentId }, "segment is not reported");
      return;
    }
    const told = Promise.resolve();
    const last = { begun: told, done: told };
    const sender = this.#senders.get(senderIdentity) ?? { identity: senderIdentity, presence: "here", last };
    this.#senders.set(senderIdentity, sender);
    // Its stream arrives before the server has announced it.
    this.#welcome(sender);
    this.#segments.set(segmentId, { sender, isStarted: false, queued: null, end: null });
    this.#options.onChange?.();
  }

  /** The first audio of a segment is heard. */
  started(segmentId: string): void {
    const segment = this.#segments.get(segmentId);
    if (!segment || segment.isStarted || segment.end) return;
    segment.isStarted = true;
    this.#enqueue(segment.sender, () => this.#call(segment.sender, RPC_PLAYBACK_STARTED, ""));
  }

  /** Audio of a segment was queued. */
  queued(segmentId: string, audio: QueuedAudio): void {
    const segment = this.#segments.get(segmentId);
    if (segment) segment.queued = { ...audio, atMs: performance.now() + audio.inMs };
  }

  /** A segment is over. Later reports about it are dropped. */
  finished(segmentId: string, end: SegmentEnd): void {
    const segment = this.#segments.get(segmentId);
    if (!segment || segment.end) return;
    segment.end = end;
    const payload = JSON.stringify({ playback_position: end.positionMs / 1000, interrupted: end.interrupted });
    this.#enqueue(segment.sender, async () => {
      await this.#call(segment.sender, RPC_PLAYBACK_FINISHED, payload);
      if (this.#segments.delete(segmentId)) this.#options.onChange?.();
    });
  }

  /** Reports what is still open as interrupted, and waits for these reports, at most a second. Those that could not be
   *  sent stay in `openSegments`. Idempotent. */
  async close(): Promise<void> {
    for (const [segmentId, segment] of this.#segments) {
      this.finished(segmentId, { positionMs: heardMs(segment), interrupted: true });
    }
    const senders = [...this.#senders.values()].filter((sender) => this.#canReach(sender));
    const reports = Promise.all(senders.map(({ last }) => last.done));
    await Promise.race([reports, delay(LAST_REPORTS_MS, undefined, { ref: false })]);
    this.#isClosed = true;
    const { room } = this.#options;
    this.#returns.close();
    room.off(RoomEvent.ParticipantConnected, this.#onJoined);
    room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  #onJoined = ({ identity }: RemoteParticipant): void => {
    const sender = this.#senders.get(identity);
    if (sender) this.#welcome(sender);
  };

  #welcome(sender: Sender): void {
    if (sender.presence !== "away") return;
    sender.presence = "here";
    this.#wake();
  }

  #onLeft = ({ identity }: RemoteParticipant): void => {
    const sender = this.#senders.get(identity);
    if (!sender) return;
    if (this.#returns.state === "steady") this.#forget(sender);
    else sender.presence = "away";
  };

  #onReturns(state: ReturnState): void {
    if (state === "reconnecting") {
      for (const giveUp of this.#pending) giveUp();
      return;
    }
    if (state === "steady") {
      for (const sender of this.#senders.values()) if (sender.presence === "away") this.#forget(sender);
    }
    this.#wake();
  }

  /** Drops all segments of a sender that left. If it joins again under the same identity, it gets no reports about
   *  them. */
  #forget(sender: Sender): void {
    sender.presence = "left";
    this.#senders.delete(sender.identity);
    for (const [segmentId, segment] of this.#segments) {
      if (segment.sender === sender) this.#segments.delete(segmentId);
    }
    this.#wake();
    this.#options.onChange?.();
  }

  #canReach({ presence }: Sender): boolean {
    const isConnected = this.#options.room.isConnected && this.#returns.state !== "reconnecting";
    return presence === "here" && isConnected && !this.#isClosed;
  }

  /** Resolves when the sender can be reached, or has left; never after `close()`. */
  async #reachable(sender: Sender): Promise<void> {
    while (!this.#canReach(sender) && sender.presence !== "left") {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    if (this.#isClosed) return;
    this.#wokenMs = performance.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  #enqueue(sender: Sender, report: () => Promise<void>): void {
    const { last } = sender;
    const enqueuedMs = performance.now();
    const begun = last.begun.then(async () => {
      await this.#reachable(sender);
      // Reports that waited for their sender together keep their order, too.
      const waitMs = Math.max(enqueuedMs, this.#wokenMs) + ORDER_WAIT_MS - performance.now();
      if (waitMs > 0) await Promise.race([last.done, delay(waitMs)]);
    });
    sender.last = { begun, done: begun.then(report) };
  }

  /** Resolves when the sender has answered, has left, or the attempts are used up. A lost connection costs no attempt:
   *  the call is repeated when the sender can be reached. If only its answer was lost, the sender is called twice. */
  async #call(sender: Sender, method: string, payload: string): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await this.#reachable(sender);
      if (sender.presence === "left") return;
      const outcome = await this.#attempt(sender, method, payload);
      if (outcome === "told") return;
      if (outcome === "disconnected") attempt--;
      else await delay(RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS);
    }
  }

  /** `told` also if a repeated call cannot succeed. */
  async #attempt(sender: Sender, method: string, payload: string): Promise<"told" | "failed" | "disconnected"> {
    const { room, logger } = this.#options;
    let giveUp: () => void = () => undefined;
    const lost = new Promise<"disconnected">((resolve) => {
      giveUp = () => resolve("disconnected");
    });
    this.#pending.add(giveUp);
    const answer = room.localParticipant!.performRpc({
      destinationIdentity: sender.identity,
      method,
      payload,
      responseTimeout: RESPONSE_TIMEOUT_MS,
    });
    try {
      return await Promise.race([answer.then(() => "told" as const), lost]);
    } catch (error) {
      if (!room.isConnected) return "disconnected";
      const code = error instanceof RpcError ? Number(error.code) : undefined;
      logger.debug({ method, code }, "playback report failed");
      return code !== undefined && FINAL_CODES.includes(code) ? "told" : "failed";
    } finally {
      this.#pending.delete(giveUp);
    }
  }
}

/** How much of a segment has been heard by now, ms. */
function heardMs({ queued }: Segment): number {
  if (queued === null) return 0;
  const { fromMs, untilMs, atMs } = queued;
  return Math.max(0, Math.min(untilMs, fromMs + performance.now() - atMs));
}
