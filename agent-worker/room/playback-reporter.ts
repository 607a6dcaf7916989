// Reports the playback of each segment to its sender: `lk.playback_started` once, `lk.playback_finished` exactly once.
// What is not reported yet can be handed to the next process of the session, which then reports it.
import { setTimeout as sleep } from "node:timers/promises";
import { type RemoteParticipant, type Room, RoomEvent, RpcError } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import type { OpenSegment } from "../../shared/runtime-api.ts";
import { RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED } from "../../shared/wire-names.ts";
import type { QueuedAudio, SegmentEnd } from "../playout/heard-events.ts";

const ATTEMPTS = 3;
/** The contract's pause before a call is repeated. */
const RETRY_DELAY_MS = 100;
const RETRY_JITTER_MS = 30;
const RESPONSE_TIMEOUT_MS = 2_000;
/** A report waits at most this long for the answer to the previous one, to keep their order: a slow sender must not
 *  delay it further. */
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
  logger: Logger;
  /** Called when a segment was opened, or its end was reported. */
  onChange?(): void;
}

interface Sender {
  readonly identity: string;
  hasLeft: boolean;
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
  /** Senders in the room, by identity. The participant list is not used: the server announces a new participant that
   *  publishes nothing up to 3 s late. */
  readonly #senders = new Map<string, Sender>();
  /** In the order in which they were opened. */
  readonly #segments = new Map<string, Segment>();
  #previous: Promise<unknown> = Promise.resolve();
  #inheritedCount = 0;

  constructor(options: PlaybackReporterOptions) {
    this.#options = options;
    options.room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
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
    const sender = this.#senders.get(senderIdentity) ?? { identity: senderIdentity, hasLeft: false };
    this.#senders.set(senderIdentity, sender);
    this.#segments.set(segmentId, { sender, isStarted: false, queued: null, end: null });
    this.#options.onChange?.();
  }

  /** The first audio of a segment is heard. */
  started(segmentId: string): void {
    const segment = this.#segments.get(segmentId);
    if (!segment || segment.isStarted || segment.end) return;
    segment.isStarted = true;
    this.#enqueue(() => this.#call(segment.sender, RPC_PLAYBACK_STARTED, ""));
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
    this.#enqueue(async () => {
      await this.#call(segment.sender, RPC_PLAYBACK_FINISHED, payload);
      if (this.#segments.delete(segmentId)) this.#options.onChange?.();
    });
  }

  /** Reports what is still open as interrupted, and waits for these reports, at most a second. Idempotent. */
  async close(): Promise<void> {
    for (const [segmentId, segment] of this.#segments) {
      this.finished(segmentId, { positionMs: heardMs(segment), interrupted: true });
    }
    if (this.#segments.size > 0)
      await Promise.race([this.#previous, sleep(LAST_REPORTS_MS, undefined, { ref: false })]);
    this.#options.room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Drops all segments of a sender that left. If it joins again under the same identity, it gets no reports about
   *  them. */
  #onLeft = ({ identity }: RemoteParticipant): void => {
    const sender = this.#senders.get(identity);
    if (!sender) return;
    sender.hasLeft = true;
    this.#senders.delete(identity);
    for (const [segmentId, segment] of this.#segments) {
      if (segment.sender === sender) this.#segments.delete(segmentId);
    }
    this.#options.onChange?.();
  };

  #enqueue(report: () => Promise<void>): void {
    const turn = Promise.race([this.#previous, sleep(ORDER_WAIT_MS)]);
    this.#previous = turn.then(report);
  }

  async #call(sender: Sender, method: string, payload: string): Promise<void> {
    const { room, logger } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (!room.isConnected || sender.hasLeft) return;
      try {
        await room.localParticipant?.performRpc({
          destinationIdentity: sender.identity,
          method,
          payload,
          responseTimeout: RESPONSE_TIMEOUT_MS,
        });
        return;
      } catch (error) {
        const code = error instanceof RpcError ? Number(error.code) : undefined;
        logger.debug({ method, attempt, code }, "playback report failed");
        if (code !== undefined && FINAL_CODES.includes(code)) return;
        await sleep(RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS);
      }
    }
  }
}

/** How much of a segment has been heard by now, ms. */
function heardMs({ queued }: Segment): number {
  if (queued === null) return 0;
  const { fromMs, untilMs, atMs } = queued;
  return Math.max(0, Math.min(untilMs, fromMs + performance.now() - atMs));
}
