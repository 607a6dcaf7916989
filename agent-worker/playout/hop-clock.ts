// The one clock of an avatar session: a beat every 40 ms on monotonic time, without drift.
import { setTimeout as sleep } from "node:timers/promises";
import { HOP_MS } from "../../shared/units.ts";

export interface HopClockOptions {
  /** Lateness up to which missed hops are made up for, ms: as long as queued sound lasts, nobody hears it. Default 60. */
  catchUpLimitMs?: number;
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

/** Hop n is due at start + n × 40 ms: delays never add up. */
export class HopClock {
  readonly #now: () => number;
  readonly #catchUpLimitMs: number;
  #nextDueMs: number;

  constructor(options: HopClockOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#catchUpLimitMs = options.catchUpLimitMs ?? 60;
    this.#nextDueMs = this.#now();
  }

  /** Waits until the next hop is due. After a standstill the clock moves on to the present in whole hops: sound that should
   *  have played meanwhile is lost already, and hurrying after it would only delay all that follows. */
  async next(): Promise<HopBeat> {
    const waitMs = this.#nextDueMs - this.#now();
    if (waitMs > 0) await sleep(waitMs);
    const lateMs = Math.max(0, this.#now() - this.#nextDueMs);
    const skippedHops = lateMs > this.#catchUpLimitMs ? Math.floor(lateMs / HOP_MS) : 0;
    const dueMs = this.#nextDueMs + skippedHops * HOP_MS;
    this.#nextDueMs = dueMs + HOP_MS;
    return { dueMs, lateMs, skippedHops };
  }
}
