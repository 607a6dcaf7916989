// Where a microphone's blocks lie on the line of time. They arrive late by turns, and some never do; what was recorded
// one after the other stays one after the other all the same.
import { SAMPLES_PER_MS } from "./blocks.ts";

/** Delays are compared by their least in this time: networks hold blocks back, and never hurry them. */
const SPAN_SAMPLES = 1_000 * SAMPLES_PER_MS;
/** A change that is smaller is drift, which belongs to the echo's path. */
const GAP_SAMPLES = 240;
const EARLY_SAMPLES = 320;
/** A change that is larger needs no second look. */
const BREAK_SAMPLES = 8_000;

/** Counts samples. */
export class MicrophoneClock {
  #place: number | undefined;
  #usualDelay = 0;
  #leastDelay = Number.POSITIVE_INFINITY;
  #seen = 0;
  #hasJumped = false;

  /** Whether the last block does not follow the one before it. */
  get hasJumped(): boolean {
    return this.#hasJumped;
  }

  /** Returns the place of a block's first sample: milliseconds × 16. `atMs`: when the block arrived. */
  push(length: number, atMs: number): number {
    const arrived = Math.round(atMs * SAMPLES_PER_MS);
    const delay = arrived - (this.#place ?? arrived) - this.#usualDelay;
    this.#hasJumped = false;
    if (this.#place === undefined || Math.abs(delay) > BREAK_SAMPLES) this.#jumpTo(arrived);
    else if (delay < -EARLY_SAMPLES) this.#jumpTo(this.#place + delay);
    else this.#watch(delay, length);
    const place = this.#place ?? arrived;
    this.#place = place + length;
    return place;
  }

  #watch(delay: number, length: number): void {
    this.#leastDelay = Math.min(this.#leastDelay, delay);
    this.#seen += length;
    if (this.#seen < SPAN_SAMPLES) return;
    if (this.#leastDelay > GAP_SAMPLES) this.#jumpTo((this.#place ?? 0) + this.#leastDelay);
    else this.#usualDelay += this.#leastDelay;
    this.#leastDelay = Number.POSITIVE_INFINITY;
    this.#seen = 0;
  }

  #jumpTo(place: number): void {
    if (this.#place === undefined || Math.abs(place - this.#place) > BREAK_SAMPLES) this.#usualDelay = 0;
    this.#place = place;
    this.#hasJumped = true;
    this.#leastDelay = Number.POSITIVE_INFINITY;
    this.#seen = 0;
  }
}
