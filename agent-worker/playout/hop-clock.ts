// The one clock of an avatar session: a beat every 40 ms on monotonic time, without drift.
import { HOP_MS } from "../../shared/units.ts";

/** Beats of an idle clock are stretched by at most this until the time that wakes took from it is given back. */
const STRETCH_MS = 4;

/** Shortest time between two beats: a clock that is woken again and again must not race. */
const SHORTEST_BEAT_MS = 10;

export interface HopClockOptions {
  /** Lateness up to which missed hops are made up for, ms: as long as queued sound lasts, nobody hears it. */
  catchUpLimitMs: number;
  /** After a wake the next beat comes so much earlier than 40 ms: it builds up a reserve of sound, ms. */
  leadAfterWakeMs: number;
  /** Monotonic time in ms. Default `performance.now`. */
  now?: () => number;
}

/** One beat of the clock. */
export interface HopBeat {
  /** When the hop was due, ms on the clock's own time. */
  dueMs: number;
  /** How late it begins, ms. */
  lateMs: number;
  /** Hops skipped before this one because the process stood still for longer than can be made up for. */
  skippedHops: number;
}

/** Hop n is due at start + n × 40 ms, so delays never add up; a wake begins the count anew. */
export class HopClock {
  readonly #now: () => number;
  readonly #options: HopClockOptions;
  #nextDueMs: number;
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  /** Time by which beats came early because of wakes, ms: given back so that pictures stay 25 a second over time. */
  #takenMs = 0;
  #endWait: (() => void) | undefined;

  constructor(options: HopClockOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#nextDueMs = this.#now();
  }

  /** Waits until the next hop is due, or until the clock is woken. After a standstill the clock moves on to the present in whole hops:
   *  sound that should have played meanwhile is lost already, and hurrying after it would only delay all that follows. */
  async next(): Promise<HopBeat> {
    if (!this.#isWoken) await this.#wait(this.#nextDueMs - this.#now());
    if (this.#isWoken) return this.#wokenBeat();
    const lateMs = Math.max(0, this.#now() - this.#nextDueMs);
    const skippedHops = lateMs > this.#options.catchUpLimitMs ? Math.floor(lateMs / HOP_MS) : 0;
    const dueMs = this.#nextDueMs + skippedHops * HOP_MS;
    this.#nextDueMs = dueMs + HOP_MS;
    this.#lastBeatMs = this.#now();
    return { dueMs, lateMs, skippedHops };
  }

  /** Gives back a little of the time that wakes took. To be called in beats in which nothing is heard. */
  stretch(): void {
    const givenMs = Math.min(STRETCH_MS, this.#takenMs);
    this.#takenMs -= givenMs;
    this.#nextDueMs += givenMs;
  }

  /** Makes the next beat come at once: there is something to play that must not wait. */
  wake(): void {
    this.#isWoken = true;
    this.#endWait?.();
  }

  /** Takes back a wake that has not been followed yet. */
  forgetWake(): void {
    this.#isWoken = false;
  }

  /** Waits for a wake within a beat, at most so many ms; the beats stay as they are. */
  async hold(atMostMs: number): Promise<void> {
    await this.#wait(atMostMs);
    this.#isWoken = false;
  }

  async #wokenBeat(): Promise<HopBeat> {
    const tooSoonMs = this.#lastBeatMs + SHORTEST_BEAT_MS - this.#now();
    if (tooSoonMs > 0) await new Promise((resolve) => setTimeout(resolve, tooSoonMs));
    this.#isWoken = false;
    const dueMs = this.#now();
    const { leadAfterWakeMs } = this.#options;
    this.#takenMs += Math.max(0, this.#nextDueMs - dueMs) + leadAfterWakeMs;
    this.#nextDueMs = dueMs + HOP_MS - leadAfterWakeMs;
    this.#lastBeatMs = dueMs;
    return { dueMs, lateMs: 0, skippedHops: 0 };
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
