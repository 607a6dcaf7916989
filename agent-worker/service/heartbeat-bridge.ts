// Keeps a session alive at the api while its next process starts: repeats the last heartbeat of the dead process.
// Without it, the api would dispatch the session to another worker after 6 s.
import type { Logger } from "../../program/log.ts";
import type { RuntimeApiClient } from "../session/runtime-api-client.ts";
import type { SessionCheckpoint } from "../session/session-event.ts";

/** A process that takes longer hangs; then another worker should try. */
const LIMIT_MS = 30_000;

export interface HeartbeatBridgeOptions {
  api: Pick<RuntimeApiClient, "sendHeartbeat">;
  intervalMs: number;
  checkpoint: SessionCheckpoint;
  logger: Logger;
}

/** Sends from `start()` to `close()`, at most 30 s. A repeated heartbeat adds no served time. */
export class HeartbeatBridge {
  readonly #options: HeartbeatBridgeOptions;
  #timer: NodeJS.Timeout | undefined;
  #untilMs = 0;

  constructor(options: HeartbeatBridgeOptions) {
    this.#options = options;
  }

  /** Once. */
  start(): void {
    this.#untilMs = performance.now() + LIMIT_MS;
    this.#timer = setInterval(() => void this.#send(), this.#options.intervalMs);
    this.#timer.unref();
    void this.#send();
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #send(): Promise<void> {
    if (performance.now() >= this.#untilMs) return this.close();
    const { api, checkpoint } = this.#options;
    const { servedSeconds, viewerSeconds, heartbeatSeq } = checkpoint;
    try {
      await api.sendHeartbeat({
        seq: Math.max(1, heartbeatSeq),
        served_seconds: servedSeconds,
        viewer_rendered_seconds: viewerSeconds,
      });
    } catch (error) {
      // The next process learns from its own heartbeats whether the session has ended.
      this.#options.logger.debug({ err: error }, "heartbeat of a starting process failed");
    }
  }
}
