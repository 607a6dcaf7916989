// Reports the playback of each segment to its sender: `lk.playback_started` once, `lk.playback_finished` exactly once.
import { setTimeout as sleep } from "node:timers/promises";
import { type RemoteParticipant, type Room, RoomEvent, RpcError } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import { RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED } from "../../shared/wire-names.ts";
import type { SegmentEnd } from "../playout/heard-events.ts";

const ATTEMPTS = 3;
/** The contract's pause before a call is repeated. */
const RETRY_DELAY_MS = 100;
const RETRY_JITTER_MS = 30;
const RESPONSE_TIMEOUT_MS = 2_000;
/** A report waits at most this long for the answer to the previous one, to keep their order: a slow sender must not
 *  delay it further. */
const ORDER_WAIT_MS = 250;

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
}

interface Sender {
  readonly identity: string;
  hasLeft: boolean;
}

interface OpenSegment {
  readonly sender: Sender;
  /** `lk.playback_started` has been sent. */
  isStarted: boolean;
}

/** Sends reports in order, without waiting long for slow answers. Nothing here throws: a sender that does not answer
 *  misses its reports, and the avatar goes on. */
export class PlaybackReporter {
  readonly #options: PlaybackReporterOptions;
  /** Senders in the room, by identity. The participant list is not used: the server announces a new participant that
   *  publishes nothing up to 3 s late. */
  readonly #senders = new Map<string, Sender>();
  readonly #segments = new Map<string, OpenSegment>();
  #previous: Promise<unknown> = Promise.resolve();

  constructor(options: PlaybackReporterOptions) {
    this.#options = options;
    options.room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  close(): void {
    this.#options.room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Registers a segment of this sender. Reports about other segments are dropped. */
  open(segmentId: string, senderIdentity: string): void {
    const sender = this.#senders.get(senderIdentity) ?? { identity: senderIdentity, hasLeft: false };
    this.#senders.set(senderIdentity, sender);
    this.#segments.set(segmentId, { sender, isStarted: false });
  }

  /** The first audio of a segment is heard. */
  started(segmentId: string): void {
    const segment = this.#segments.get(segmentId);
    if (!segment || segment.isStarted) return;
    segment.isStarted = true;
    this.#enqueue(segment.sender, RPC_PLAYBACK_STARTED, "");
  }

  /** A segment is over. Later reports about it are dropped. */
  finished(segmentId: string, { positionMs, interrupted }: SegmentEnd): void {
    const segment = this.#segments.get(segmentId);
    if (!segment) return;
    this.#segments.delete(segmentId);
    const payload = { playback_position: positionMs / 1000, interrupted };
    this.#enqueue(segment.sender, RPC_PLAYBACK_FINISHED, JSON.stringify(payload));
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
  };

  #enqueue(sender: Sender, method: string, payload: string): void {
    const turn = Promise.race([this.#previous, sleep(ORDER_WAIT_MS)]);
    this.#previous = turn.then(() => this.#call(sender, method, payload));
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
