// Regular beats from a live avatar session to the api: they carry the served seconds and bring back the order to stop.
import type { Logger } from "../../shared/log.ts";
import { type EndReason, parseEndReason, type RoomReport } from "../../shared/runtime-api.ts";
import { type RuntimeApiClient, RuntimeApiError } from "./runtime-api-client.ts";

/** The contract's patience with a lost network. */
const DEFAULT_GRACE_MS = 300_000;

/** What a refused beat says about the session; any other refusal: the api no longer knows it. */
const REFUSALS: Readonly<Record<number, EndReason>> = {
  401: "secret_revoked",
  402: "balance_exhausted",
  403: "secret_revoked",
};

export interface HeartbeatOptions {
  api: Pick<RuntimeApiClient, "beat">;
  intervalMs: number;
  /** Seconds served so far. */
  servedSeconds(): number;
  /** The media room as the avatar sees it now. */
  room(): RoomReport;
  /** Told once that the session must end. */
  onStop(reason: EndReason): void;
  logger: Logger;
  /** Time without an answer after which the session gives up, ms. Default 300,000. */
  graceMs?: number;
}

/** Beats from `start()` to `close()`. A beat that fails is not repeated: the next one carries the same count, only
 *  larger. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: NodeJS.Timeout | undefined;
  #seq = 0;
  #lastAnswerMs = performance.now();
  #isClosed = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    this.#lastAnswerMs = performance.now();
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { intervalMs } = this.#options;
    // A little jitter: sessions that were launched together must not beat together for ever.
    this.#timer = setTimeout(
      () => void this.#beat().finally(() => this.#schedule()),
      intervalMs * (0.95 + Math.random() / 10),
    );
  }

  async #beat(): Promise<void> {
    const { api, servedSeconds, room, logger, graceMs = DEFAULT_GRACE_MS } = this.#options;
    try {
      const answer = await api.beat({ seq: ++this.#seq, served_seconds: servedSeconds(), room: room() });
      this.#lastAnswerMs = performance.now();
      // A reason that this worker does not know still ends the session.
      if (answer.stop) this.#stop(parseEndReason(answer.stop.reason) ?? "ended_by_api");
    } catch (error) {
      if (error instanceof RuntimeApiError && error.isRefusal) {
        this.#stop(REFUSALS[error.status] ?? "ended_by_api");
        return;
      }
      const silentMs = Math.round(performance.now() - this.#lastAnswerMs);
      logger.warn({ err: error, silentMs }, "beat not answered");
      if (silentMs > graceMs) this.#stop("worker_lost");
    }
  }

  #stop(reason: EndReason): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.onStop(reason);
  }
}
