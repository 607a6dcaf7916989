// When the next frame of a steady rate is due.
import { setTimeout as delay } from "node:timers/promises";

export class FrameClock {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  #dueMs = 0;

  /** After a delay of more than `toleranceMs` it does not catch up, but begins again. */
  constructor(fps: number, toleranceMs: number) {
    this.#intervalMs = 1000 / fps;
    this.#toleranceMs = toleranceMs;
  }

  /** Waits until the next frame is due. */
  async next(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#dueMs > this.#toleranceMs) this.#dueMs = nowMs;
    if (this.#dueMs > nowMs) await delay(this.#dueMs - nowMs);
    this.#dueMs += this.#intervalMs;
  }
}
