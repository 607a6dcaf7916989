// Decides from the scores of the lag finder where the echo is, and whether there is one.
import type { LagFinder } from "./lag-finder.ts";

/** Chance reaches 2. */
const CLEAR_SCORE = 3;
/** What a new lag must have beside the one that is held. */
const BETTER = 1.3;
/** Comparisons, 20 ms apart, that must agree. */
const AGREEING = 3;
/** Neighbours have some of the same score. */
const NEAR = 2;
/** Below this a microphone has nothing of the avatar in it. */
const CHANCE_SCORE = 2.3;
/** Comparisons with sound in the microphone and no trace of the avatar after which the sound is a person's. */
const LONELY = 10;

/** Follows one finder. */
export class LagLock {
  readonly #finder: LagFinder;
  #lag: number | undefined;
  #candidate = 0;
  #agreed = 0;
  #lonely = 0;
  #isContradicted = false;

  constructor(finder: LagFinder) {
    this.#finder = finder;
  }

  /** Blocks from the reference to the echo; undefined while none was found. */
  get lag(): number | undefined {
    return this.#lag;
  }

  /** Whether the microphone has sounded for 200 ms beside the avatar without a trace of it, now and before. */
  get isLonely(): boolean {
    return this.#lonely >= LONELY;
  }

  /** Whether the latest scores speak for another lag than the one that is held. */
  get isContradicted(): boolean {
    return this.#isContradicted;
  }

  reset(): void {
    this.#lag = undefined;
    this.#agreed = 0;
    this.#lonely = 0;
    this.#isContradicted = false;
  }

  /** Takes new scores. `isSounding`: whether the microphone is louder than its noise. Returns whether the lag changed.
   *  */
  update(isSounding: boolean): boolean {
    const { scores } = this.#finder;
    const best = this.#finder.best();
    const score = scores[best];
    if (score >= CLEAR_SCORE || this.#lag !== undefined) this.#lonely = 0;
    else if (isSounding && score > 0 && score < CHANCE_SCORE) this.#lonely++;
    else this.#lonely = Math.max(0, this.#lonely - 1);
    const isNear = this.#lag !== undefined && Math.abs(best - this.#lag) <= NEAR;
    this.#isContradicted = this.#lag !== undefined && !isNear && score >= CLEAR_SCORE - 0.5 && score > this.#held();
    if (isNear || score < CLEAR_SCORE || score < BETTER * this.#held()) {
      this.#agreed = 0;
      return false;
    }
    this.#agreed = Math.abs(best - this.#candidate) <= 1 ? this.#agreed + 1 : 1;
    this.#candidate = best;
    if (this.#agreed < AGREEING) return false;
    this.#lag = best;
    this.#agreed = 0;
    this.#isContradicted = false;
    return true;
  }

  /** Best score around the lag that is held. */
  #held(): number {
    if (this.#lag === undefined) return 0;
    let best = 0;
    const last = Math.min(this.#finder.lags - 1, this.#lag + NEAR);
    for (let lag = Math.max(0, this.#lag - NEAR); lag <= last; lag++) best = Math.max(best, this.#finder.scores[lag]);
    return best;
  }
}
