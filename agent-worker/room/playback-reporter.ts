// Tells the sender what became of each of its segments: `lk.playback_started` once, `lk.playback_finished` exactly once.
import { setTimeout as sleep } from "node:timers/promises";
import { type RemoteParticipant, type Room, RoomEvent, RpcError } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import { RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED } from "../../shared/wire-names.ts";

const ATTEMPTS = 3;
/** The contract's pause before a call is repeated. */
const RETRY_DELAY_MS = 100;
const RETRY_JITTER_MS = 30;
const RESPONSE_TIMEOUT_MS = 2_000;
/** A report waits so long for the answer to the one before it, to keep their order; a slow sender must not delay it further. */
const ORDER_WAIT_MS = 250;

/** Errors after which a repeated call cannot succeed: nobody there, or nobody who listens. */
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

/** Reports leave in the order they are made, without waiting for slow answers. Nothing here throws: a sender that does not listen
 *  misses its reports, and the avatar goes on. */
export class PlaybackReporter {
  readonly #options: PlaybackReporterOptions;
  readonly #senders = new Map<string, string>();
  readonly #started = new Set<string>();
  /** Senders that have left. Presence is no test: the server names a new participant that publishes nothing up to 3 s late. */
  readonly #departed = new Set<string>();
  #previous: Promise<unknown> = Promise.resolve();

  constructor(options: PlaybackReporterOptions) {
    this.#options = options;
    options.room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  close(): void {
    this.#options.room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  /** Expects reports about a segment of this sender. Reports about segments never opened here are dropped. */
  open(segmentId: string, senderIdentity: string): void {
    this.#senders.set(segmentId, senderIdentity);
    this.#departed.delete(senderIdentity);
  }

  /** The first sound of a segment is heard. */
  started(segmentId: string): void {
    const senderIdentity = this.#senders.get(segmentId);
    if (senderIdentity === undefined || this.#started.has(segmentId)) return;
    this.#started.add(segmentId);
    this.#enqueue(senderIdentity, RPC_PLAYBACK_STARTED, "");
  }

  /** A segment is over: `positionMs` of it was heard. Later reports about it are dropped. */
  finished(segmentId: string, positionMs: number, interrupted: boolean): void {
    const senderIdentity = this.#senders.get(segmentId);
    if (senderIdentity === undefined) return;
    this.#senders.delete(segmentId);
    this.#started.delete(segmentId);
    const payload = { playback_position: positionMs / 1000, interrupted };
    this.#enqueue(senderIdentity, RPC_PLAYBACK_FINISHED, JSON.stringify(payload));
  }

  /** A sender that comes back under its name knows nothing of what it sent before. */
  #onLeft = ({ identity }: RemoteParticipant): void => {
    this.#departed.add(identity);
    for (const [segmentId, senderIdentity] of this.#senders) {
      if (senderIdentity === identity) this.#senders.delete(segmentId);
    }
  };

  #enqueue(destinationIdentity: string, method: string, payload: string): void {
    const turn = Promise.race([this.#previous, sleep(ORDER_WAIT_MS)]);
    this.#previous = turn.then(() => this.#call(destinationIdentity, method, payload));
  }

  async #call(destinationIdentity: string, method: string, payload: string): Promise<void> {
    const { room, logger } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (!room.isConnected || this.#departed.has(destinationIdentity)) return;
      try {
        await room.localParticipant?.performRpc({
          destinationIdentity,
          method,
          payload,
          responseTimeout: RESPONSE_TIMEOUT_MS,
        });
        return;
      } catch (error) {
        const code = error instanceof RpcError ? Number(error.code) : undefined;
        logger.debug({ method, attempt, code }, "playback report not taken");
        if (code !== undefined && FINAL_CODES.includes(code)) return;
        await sleep(RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS);
      }
    }
  }
}
