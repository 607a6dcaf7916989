// The clock of an avatar session: one frame every 40 ms of monotonic time, without drift.
import { HOP_MS } from "../../shared/units.ts";

/** Most ms by which a silent frame is lengthened, until the time by which wakes shortened earlier frames is made up
 *  for. */
const STRETCH_MS = 4;

/** Shortest time between two frames, ms. It bounds the rate of a clock that is woken repeatedly. */
const SHORTEST_FRAME_MS = 10;

export interface FrameClockOptions {
  /** Lateness up to which missed frames are caught up, ms. While queued audio lasts, the delay is inaudible. */
  catchUpLimitMs: number;
  /** Shortens the frame after a wake, to build up a reserve of audio, ms. */
  leadAfterWakeMs: number;
  /** Monotonic time in ms. Default `performance.now`. */
  now?: () => number;
}

/** A frame that is due. */
export interface DueFrame {
  /** When the frame was due, ms on the clock's own time. */
  dueMs: number;
  /** How late the frame begins, ms. */
  lateMs: number;
  /** Frames skipped before this one, because the process stalled for longer than can be caught up. */
  skippedFrames: number;
}

/** Frame n is due at start + n × 40 ms, so delays never add up. A wake restarts the count. */
export class FrameClock {
  readonly #now: () => number;
  readonly #options: FrameClockOptions;
  #nextDueMs: number;
  #lastFrameMs = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  /** Time by which wakes made frames early, ms. It is made up for later, so that the mean rate stays 25 fps. */
  #takenMs = 0;
  #endWait: (() => void) | undefined;

  constructor(options: FrameClockOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#nextDueMs = this.#now();
  }

  /** Waits until the next frame is due, or until the clock is woken. After a long stall the clock skips whole frames to
   *  the present: their audio is lost already, and catching up would only delay the audio after it. */
  async next(): Promise<DueFrame> {
    if (!this.#isWoken) await this.#wait(this.#nextDueMs - this.#now());
    if (this.#isWoken) return this.#wokenFrame();
    const lateMs = Math.max(0, this.#now() - this.#nextDueMs);
    const skippedFrames = lateMs > this.#options.catchUpLimitMs ? Math.floor(lateMs / HOP_MS) : 0;
    const dueMs = this.#nextDueMs + skippedFrames * HOP_MS;
    this.#nextDueMs = dueMs + HOP_MS;
    this.#lastFrameMs = this.#now();
    return { dueMs, lateMs, skippedFrames };
  }

  /** Makes up for a part of the time by which wakes shortened frames. Call it in silent frames. */
  stretch(): void {
    const givenMs = Math.min(STRETCH_MS, this.#takenMs);
    this.#takenMs -= givenMs;
    this.#nextDueMs += givenMs;
  }

  /** Makes the next frame due at once, for audio that must not wait. */
  wake(): void {
    this.#isWoken = true;
    this.#endWait?.();
  }

  /** Cancels a wake that has not taken effect yet. */
  forgetWake(): void {
    this.#isWoken = false;
  }

  /** Delays a frame that is due until the next wake, at most by `atMostMs`. The due times of later frames do not
   *  change. */
  async hold(atMostMs: number): Promise<void> {
    await this.#wait(atMostMs);
    this.#isWoken = false;
  }

  async #wokenFrame(): Promise<DueFrame> {
    const tooSoonMs = this.#lastFrameMs + SHORTEST_FRAME_MS - this.#now();
    if (tooSoonMs > 0) await new Promise((resolve) => setTimeout(resolve, tooSoonMs));
    this.#isWoken = false;
    const dueMs = this.#now();
    const { leadAfterWakeMs } = this.#options;
    this.#takenMs += Math.max(0, this.#nextDueMs - dueMs) + leadAfterWakeMs;
    this.#nextDueMs = dueMs + HOP_MS - leadAfterWakeMs;
    this.#lastFrameMs = dueMs;
    return { dueMs, lateMs: 0, skippedFrames: 0 };
  }

  #wait(durationMs: number): Promise<void> {
    if (durationMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#endWait = undefined;
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      this.#endWait = end;
    });
  }
}
