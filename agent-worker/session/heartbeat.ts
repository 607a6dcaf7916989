// Sends regular heartbeats from a live avatar session to the api. They carry the served seconds; the answer may tell
// the session to end.
import type { Logger } from "../../program/log.ts";
import {
  type EndReason,
  type MindKind,
  type OpenSegment,
  parseEndReason,
  type RoomReport,
} from "../../shared/runtime-api.ts";
import { type RuntimeApiClient, refusesSession } from "./runtime-api-client.ts";

/** Longest time without an answer, by contract. */
const DEFAULT_GRACE_MS = 300_000;

/** Reasons to end that the api gives when it refuses a heartbeat. After any other refusal, the session is unknown to
 *  the api. */
const REFUSALS: Readonly<Record<number, EndReason>> = {
  401: "secret_revoked",
  402: "balance_exhausted",
  403: "secret_revoked",
};

export interface HeartbeatOptions {
  api: Pick<RuntimeApiClient, "sendHeartbeat">;
  intervalMs: number;
  /** Seconds served so far. */
  servedSeconds(): number;
  /** How long a camera was watched so far, s; undefined without a conversation. */
  watchedSeconds(): number | undefined;
  /** Seconds without video so far; undefined where viewers may not render. Default: undefined. */
  viewerSeconds?(): number | undefined;
  /** What answers in the conversation now; undefined without one. */
  mind(): MindKind | undefined;
  /** The media room as the avatar sees it now. */
  room(): RoomReport;
  /** Whether the session waits for a user to return. */
  isVacant(): boolean;
  /** Segments that a successor would have to report. */
  openSegments(): OpenSegment[];
  /** Number of the last heartbeat that was sent before, by an earlier process. Default 0. */
  lastSeq?: number;
  /** Called once when the session must end. */
  onStop(reason: EndReason): void;
  logger: Logger;
  /** Time without an answer after which the session gives up, ms. Default 300,000. */
  graceMs?: number;
}

/** Sends heartbeats from `start()` to `close()`, one at a time. A failed heartbeat is not retried: the next one carries
 *  the larger total. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: NodeJS.Timeout | undefined;
  #seq: number;
  #isSending = false;
  /** Another heartbeat must follow the one that is being sent. */
  #isDue = false;
  #lastAnswerMs = performance.now();
  #isClosed = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#seq = options.lastSeq ?? 0;
  }

  /** Number of the last heartbeat that was sent. */
  get seq(): number {
    return this.#seq;
  }

  start(): void {
    this.#lastAnswerMs = performance.now();
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Sends a heartbeat now, because what it reports has changed. While one is being sent, the next one follows at
   *  once. */
  hurry(): void {
    if (this.#isClosed) return;
    if (this.#isSending) this.#isDue = true;
    else void this.#sendInTurn();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { intervalMs } = this.#options;
    // Jitter, so that sessions that were launched together do not send their heartbeats at the same time.
    this.#timer = setTimeout(() => void this.#sendInTurn(), intervalMs * (0.95 + Math.random() / 10));
  }

  async #sendInTurn(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isSending = true;
    do {
      this.#isDue = false;
      await this.#send();
    } while (this.#isDue && !this.#isClosed);
    this.#isSending = false;
    this.#schedule();
  }

  async #send(): Promise<void> {
    const {
      api,
      servedSeconds,
      watchedSeconds,
      viewerSeconds,
      mind,
      room,
      isVacant,
      openSegments,
      logger,
      graceMs = DEFAULT_GRACE_MS,
    } = this.#options;
    try {
      const answer = await api.sendHeartbeat({
        seq: ++this.#seq,
        served_seconds: servedSeconds(),
        watched_seconds: watchedSeconds(),
        viewer_rendered_seconds: viewerSeconds?.(),
        mind: mind(),
        room: room(),
        is_vacant: isVacant(),
        open_segments: openSegments(),
      });
      this.#lastAnswerMs = performance.now();
      // A reason that this worker does not know still ends the session.
      if (answer.stop) this.#stop(parseEndReason(answer.stop.reason) ?? "ended_by_api");
    } catch (error) {
      if (refusesSession(error)) {
        this.#stop(REFUSALS[error.status] ?? "ended_by_api");
        return;
      }
      const silentMs = Math.round(performance.now() - this.#lastAnswerMs);
      logger.warn({ err: error, silentMs }, "heartbeat failed");
      if (silentMs > graceMs) this.#stop("worker_lost");
    }
  }

  #stop(reason: EndReason): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.onStop(reason);
  }
}
