// Tells the worker again and again what the next process of a session needs if this one dies.
import type { SessionCheckpoint } from "./session-event.ts";

/** Interval of checkpoints, ms: positions of a segment that plays are at most 200 ms old, served time a second. */
const INTERVAL_MS = 200;
const IDLE_INTERVALS = 5;

export interface CheckpointsOptions {
  /** Whether a segment plays. */
  isPlaying(): boolean;
  /** As it is now; undefined while there is nothing to go on from. */
  read(): SessionCheckpoint | undefined;
  tell(checkpoint: SessionCheckpoint): void;
}

/** Runs from `start()` to `close()`. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Once. */
  start(): void {
    let idle = 0;
    this.#timer = setInterval(() => {
      idle = this.#options.isPlaying() ? 0 : (idle + 1) % IDLE_INTERVALS;
      if (idle === 0) this.tell();
    }, INTERVAL_MS);
  }

  /** Something has changed that the next process must know. */
  tell(): void {
    const checkpoint = this.#options.read();
    if (checkpoint) this.#options.tell(checkpoint);
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }
}
