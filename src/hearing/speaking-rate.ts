// Tempo of speech, measured by how fast the mouth classes change: fast speech makes smaller movements.
import { HOP_MS } from "../../shared/units.ts";

/** Weight of the newest video frame in the mean: it looks back over about a second of speech. */
const NEWEST_SHARE = HOP_MS / 1000;
/** Changes a second of voices at their own tempo, as the network hears them (10.0 at 0.7 times, 14.3 at 1.6 times the
 *  tempo); where each stream begins. */
const NORMAL_RATE_HZ = 12;

/** Follows one speaker, one call a video frame. */
export class SpeakingRate {
  #before: Float32Array | null = null;
  #rateHz = NORMAL_RATE_HZ;

  /** Changes from one class to another a second, mean of about the last second of speech. */
  get rateHz(): number {
    return this.#rateHz;
  }

  /** Rate against that of an unhurried voice: 1 for normal speech, 2 for twice as fast. */
  get relative(): number {
    return this.#rateHz / NORMAL_RATE_HZ;
  }

  /** Takes the posteriors of the next video frame in which something is said. */
  push(visemes: Float32Array): void {
    const before = this.#before;
    this.#before = visemes;
    if (!before) return;
    let change = 0;
    for (let k = 0; k < visemes.length; k++) change += Math.abs(visemes[k] - before[k]) / 2;
    this.#rateHz += NEWEST_SHARE * ((change * 1000) / HOP_MS - this.#rateHz);
  }

  /** A pause: its end is no change. */
  pause(): void {
    this.#before = null;
  }
}
