// Nods and raised brows on stressed syllables, which are detected by a rise of loudness.
import { hashUnit } from "./smooth-noise.ts";

/** A syllable is stressed if it is this much louder than the recent mean, dB, and no accent began within the minimum
 *  gap before it. */
const STRESS_ABOVE_MEAN_DB = 4;
const PAUSE_TICKS = 13;
/** Syllables below this level are never stressed, dB. */
const AUDIBLE_DB = -42;
/** Smoothing factor of the mean per tick. */
const MEAN_SPEED = 0.06;
/** Share of stressed syllables with an accent of the head and of the brow: people accent about two of three with the
 *  head and one of four with the brow. */
const NOD_SHARE = 0.65;
const BROW_SHARE = 0.25;
/** The accents over time, one value per tick. */
const NOD = [0.12, 0.42, 0.75, 0.97, 1, 0.82, 0.55, 0.28, 0.06, -0.06, -0.1, -0.06, -0.02];
const BROW = [0.3, 0.75, 1, 1, 0.95, 0.85, 0.7, 0.5, 0.35, 0.2, 0.1, 0.04];
const STREAM = 31;

/** What the accents add to the pose of one tick. */
export interface Accent {
  /** Added to pitch; positive nods down. */
  pitch: number;
  /** Added to brow. */
  brow: number;
}

/** Detects accents from the loudness of the speech, one call per tick. Deterministic for a seed. */
export class StressAccents {
  readonly #seed: number;
  #meanDb = -60;
  #accents = 0;
  #sinceAccent = PAUSE_TICKS;
  #nodStrength = 0;
  #browStrength = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** `levelDb`: loudness of the tick, null during silence. */
  next(levelDb: number | null): Accent {
    this.#sinceAccent += 1;
    const level = Math.max(levelDb ?? -60, -60);
    const isStressed = level > AUDIBLE_DB && level > this.#meanDb + STRESS_ABOVE_MEAN_DB;
    if (isStressed && this.#sinceAccent >= PAUSE_TICKS) this.#begin();
    this.#meanDb += MEAN_SPEED * (level - this.#meanDb);
    return {
      pitch: this.#nodStrength * (NOD[this.#sinceAccent] ?? 0),
      brow: this.#browStrength * (BROW[this.#sinceAccent] ?? 0),
    };
  }

  /** Returns what brings the accents back to now. */
  remember(): () => void {
    const [meanDb, accents, since] = [this.#meanDb, this.#accents, this.#sinceAccent];
    const [nod, brow] = [this.#nodStrength, this.#browStrength];
    return () => {
      [this.#meanDb, this.#accents, this.#sinceAccent] = [meanDb, accents, since];
      [this.#nodStrength, this.#browStrength] = [nod, brow];
    };
  }

  #begin(): void {
    const draw = (stream: number) => hashUnit(this.#seed, STREAM + stream, this.#accents);
    this.#accents += 1;
    this.#sinceAccent = 0;
    this.#nodStrength = draw(0) < NOD_SHARE ? 0.1 + 0.22 * draw(1) : 0;
    this.#browStrength = draw(2) < BROW_SHARE ? 0.2 + 0.3 * draw(3) : 0;
  }
}
