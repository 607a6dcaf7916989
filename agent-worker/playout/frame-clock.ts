// The one clock of an avatar session: a frame every 40 ms on monotonic time, without drift.
import { HOP_MS } from "../../shared/units.ts";

/** While nothing is heard, a frame is lengthened by at most this until the time that wakes took is given back. */
const STRETCH_MS = 4;

/** Shortest time between two frames: a clock that is woken again and again must not race. */
const SHORTEST_FRAME_MS = 10;

export interface FrameClockOptions {
  /** Lateness up to which missed frames are made up for, ms: as long as queued audio lasts, the delay is inaudible. */
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
  /** How late it begins, ms. */
  lateMs: number;
  /** Frames skipped before this one because the process stood still for longer than can be made up for. */
  skippedFrames: number;
}

/** Frame n is due at start + n × 40 ms, so delays never add up; a wake begins the count anew. */
export class FrameClock {
  readonly #now: () => number;
  readonly #options: FrameClockOptions;
  #nextDueMs: number;
  #lastFrameMs = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  /** Time by which frames came early because of wakes, ms: given back so that the mean rate stays 25 fps. */
  #takenMs = 0;
  #endWait: (() => void) | undefined;

  constructor(options: FrameClockOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#nextDueMs = this.#now();
  }

  /** Waits until the next frame is due, or until the clock is woken. After a standstill the clock moves on to the
   *  present in whole frames: audio that should have played meanwhile is lost already, and catching up would only
   *  delay what follows. */
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

  /** Gives back a little of the time that wakes took. To be called in frames in which nothing is heard. */
  stretch(): void {
    const givenMs = Math.min(STRETCH_MS, this.#takenMs);
    this.#takenMs -= givenMs;
    this.#nextDueMs += givenMs;
  }

  /** Makes the next frame due at once: there is something to play that must not wait. */
  wake(): void {
    this.#isWoken = true;
    this.#endWait?.();
  }

  /** Cancels a wake that has not taken effect yet. */
  forgetWake(): void {
    this.#isWoken = false;
  }

  /** Waits for a wake before a frame that is due already, at most `atMostMs`. The frames after it stay as they are. */
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
