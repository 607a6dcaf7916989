// Measures the delay of a real-time sender's audio, and how much of it should be caught up.
//
// Late chunks and stalls delay all audio after them, and a real-time segment has no pause in which it could catch up.
// The delay is visible as audio that stays in the engine's queue without being needed. A sender that pushes faster than
// real time fills the queue on purpose, so it is left out.
import { HOP_MS } from "../../../shared/units.ts";

/** How far audio may get ahead of real time, or fall behind it, within the time below, ms. More than chunks and jitter
 *  can explain means a sender that pushes faster than real time, or in bursts. */
const LEAD_CHANGE_LIMIT_MS = 300;
/** Steps over which that is judged: two seconds. The start of a real-time sender is often held up, and then looks like
 *  a push. */
const JUDGED_STEPS = 2000 / HOP_MS;
/** Steps for which audio must have waited without being needed: one second. */
const WATCHED_STEPS = 1000 / HOP_MS;
/** Audio that stays queued as a reserve against jitter, ms. The reserve grows after an underrun and shrinks
 *  gradually. */
const LEAST_RESERVE_MS = 15;
const LARGEST_RESERVE_MS = 30;
const RESERVE_GROWTH_MS = 5;
const RESERVE_DECAY_MS_PER_STEP = 0.04;
/** More than this is not caused by jitter: the segment waited behind another. */
const LARGEST_DELAY_MS = 1000;

export class LiveDelay {
  readonly #now: () => number;
  #firstAtMs: number | null = null;
  #arrivedMs = 0;
  /** How far the audio was ahead of real time at each of the last steps, ms, oldest first. */
  readonly #leadsMs: number[] = [0];
  #reserveMs = LEAST_RESERVE_MS;
  /** Audio that waited without being needed in each of the last steps, ms, newest last. */
  #unneededMs: number[] = [];
  #excessMs = 0;

  /** `now`: monotonic time, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Delay that should be caught up, ms; 0 for a sender that pushes faster than real time. */
  get excessMs(): number {
    return this.#excessMs;
  }

  /** Audio has arrived from the sender. */
  arrived(durationMs: number): void {
    this.#firstAtMs ??= this.#now();
    this.#arrivedMs += durationMs;
  }

  /** A hop of audio is about to be output; `unneededMs` of audio wait beyond it. */
  stepped(unneededMs: number): void {
    this.#reserveMs = Math.max(LEAST_RESERVE_MS, this.#reserveMs - RESERVE_DECAY_MS_PER_STEP);
    this.#unneededMs.push(unneededMs);
    if (this.#unneededMs.length > WATCHED_STEPS) this.#unneededMs.shift();
    this.#leadsMs.push(this.#arrivedMs - (this.#now() - (this.#firstAtMs ?? 0)));
    if (this.#leadsMs.length > JUDGED_STEPS) this.#leadsMs.shift();
    const isWatched = this.#unneededMs.length === WATCHED_STEPS;
    const delayMs = Math.min(...this.#unneededMs) - this.#reserveMs;
    this.#excessMs = isWatched && this.#isRealTime && delayMs <= LARGEST_DELAY_MS ? Math.max(0, delayMs) : 0;
  }

  /** A started segment had an underrun. */
  starved(): void {
    if (this.#unneededMs.length === 0) return;
    this.#reserveMs = Math.min(LARGEST_RESERVE_MS, this.#reserveMs + RESERVE_GROWTH_MS);
    this.#unneededMs = [];
    this.#excessMs = 0;
  }

  /** This much delay has been caught up, ms. */
  wonBack(durationMs: number): void {
    this.#excessMs = Math.max(0, this.#excessMs - durationMs);
  }

  /** Whether audio arrived as fast as it is spoken. */
  get #isRealTime(): boolean {
    const [earliestMs] = this.#leadsMs;
    const risenMs = Math.max(...this.#leadsMs) - earliestMs;
    const fallenMs = earliestMs - this.#leadsMs[this.#leadsMs.length - 1];
    return risenMs <= LEAD_CHANGE_LIMIT_MS && fallenMs <= LEAD_CHANGE_LIMIT_MS;
  }
}
