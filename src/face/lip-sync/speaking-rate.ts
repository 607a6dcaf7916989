// Estimates the tempo of speech from the rate of viseme changes, because fast speech makes smaller movements.
import { HOP_MS } from "../../../shared/units.ts";

/** Weight of the newest video frame in the mean, which covers about one second of speech. */
const NEWEST_SHARE = HOP_MS / 1000;
/** Viseme changes per second at normal tempo, as the network detects them (10.0 at 0.7 times, 14.3 at 1.6 times the
 *  tempo). Start value of each stream. */
const NORMAL_RATE_HZ = 12;

/** The rate of one speaker, one call per video frame. */
export class SpeakingRate {
  #before: Float32Array | null = null;
  #rateHz = NORMAL_RATE_HZ;

  /** Viseme changes per second, mean of about the last second of speech. */
  get rateHz(): number {
    return this.#rateHz;
  }

  /** Rate relative to normal speech: 1 for normal speech, 2 for twice as many changes. */
  get relative(): number {
    return this.#rateHz / NORMAL_RATE_HZ;
  }

  /** Adds the posteriors of the next video frame with speech. */
  push(visemes: Float32Array): void {
    const before = this.#before;
    this.#before = visemes;
    if (!before) return;
    let change = 0;
    for (let k = 0; k < visemes.length; k++) change += Math.abs(visemes[k] - before[k]) / 2;
    this.#rateHz += NEWEST_SHARE * ((change * 1000) / HOP_MS - this.#rateHz);
  }

  /** Returns what brings the rate back to now. */
  remember(): () => void {
    const before = this.#before;
    const rateHz = this.#rateHz;
    return () => {
      this.#before = before;
      this.#rateHz = rateHz;
    };
  }

  /** A pause; speech after it does not count as a change. */
  pause(): void {
    this.#before = null;
  }
}
