// Watches how far the audio of a real-time sender has fallen behind, and says how much of it should be won back.
//
// Late chunks and standstills delay all that follows, and in a real-time segment nothing ever makes up for it. What is
// delayed waits in the engine: audio that has stayed there unneeded for a while is delay. A sender that pushes ahead
// fills the queue on purpose.
import { HOP_MS } from "../../shared/units.ts";

/** Audio that may come ahead of its time, ms: more than chunks and jitter explain means a sender that pushes. */
const LIVE_LEAD_LIMIT_MS = 300;
/** Steps for which audio must have waited unneeded: one second. */
const WATCHED_STEPS = 1000 / HOP_MS;
/** What stays waiting as a reserve against jitter, ms. It grows when a segment has run dry and shrinks gradually. */
const LEAST_RESERVE_MS = 15;
const LARGEST_RESERVE_MS = 30;
const RESERVE_GROWTH_MS = 5;
const RESERVE_DECAY_MS_PER_STEP = 0.04;
/** More than this is no delay by jitter: the segment waited behind another. */
const LARGEST_DELAY_MS = 1000;

export class LiveDelay {
  readonly #now: () => number;
  #firstAtMs: number | null = null;
  #arrivedMs = 0;
  #largestLeadMs = 0;
  #reserveMs = LEAST_RESERVE_MS;
  /** Audio that waited unneeded in each of the last steps, ms, newest last. */
  #unneededMs: number[] = [];
  #excessMs = 0;

  /** `now`: monotonic time, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Delay that should be won back, ms; 0 for a sender that pushes ahead. */
  get excessMs(): number {
    return this.#largestLeadMs <= LIVE_LEAD_LIMIT_MS ? this.#excessMs : 0;
  }

  /** Audio has come from the sender. */
  arrived(durationMs: number): void {
    this.#firstAtMs ??= this.#now();
    this.#arrivedMs += durationMs;
    this.#largestLeadMs = Math.max(this.#largestLeadMs, this.#arrivedMs - (this.#now() - this.#firstAtMs));
  }

  /** A hop of audio is about to leave, and `unneededMs` wait that it does not need. */
  stepped(unneededMs: number): void {
    this.#reserveMs = Math.max(LEAST_RESERVE_MS, this.#reserveMs - RESERVE_DECAY_MS_PER_STEP);
    this.#unneededMs.push(unneededMs);
    if (this.#unneededMs.length > WATCHED_STEPS) this.#unneededMs.shift();
    const isWatched = this.#unneededMs.length === WATCHED_STEPS;
    const delayMs = Math.min(...this.#unneededMs) - this.#reserveMs;
    this.#excessMs = isWatched && delayMs <= LARGEST_DELAY_MS ? Math.max(0, delayMs) : 0;
  }

  /** The segment had begun and ran dry. */
  starved(): void {
    if (this.#unneededMs.length === 0) return;
    this.#reserveMs = Math.min(LARGEST_RESERVE_MS, this.#reserveMs + RESERVE_GROWTH_MS);
    this.#unneededMs = [];
    this.#excessMs = 0;
  }

  /** So much has been won back. */
  wonBack(durationMs: number): void {
    this.#excessMs = Math.max(0, this.#excessMs - durationMs);
  }
}
