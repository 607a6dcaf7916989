// Separates speech from silence, hum, tones and steady noise, because the network alone opens the mouth for some of
// them.
//
// The spectrum of speech changes by 1.5 to 4 dB every 20 ms, that of noise, hum and chords by less than 1 dB. The gate
// opens when the spectrum keeps changing and closes when it has been steady for a while. It starts closed and has the
// same look-ahead as the video frames.
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";
import { BAND_COUNT, BandLevels, FRAME_SAMPLES } from "./band-levels.ts";

const FRAMES_PER_HOP = HEARING_HOP_SAMPLES / FRAME_SAMPLES;
/** Limits for bands in the measure of change: a band must be audible, and not too far below the loudest one. */
const AUDIBLE_BAND_DB = -72;
const BELOW_LOUDEST_DB = 35;
/** Limit on the change of one band in 20 ms, so that a single click does not count as a word. */
const MAX_CHANGE_DB = 5;
/** To open, the mean change within the last 120 ms must reach this. The two strongest frames are left out, because
 *  every sound begins with a jump. */
const OPENING_FRAMES = 6;
const OPENING_LEFT_OUT = 2;
const OPENING_CHANGE_DB = 1;
/** To stay open, the mean change within the last 400 ms must reach this. Steady noise stays below 0.75, 98 % of natural
 *  speech above 1. */
const OPEN_FRAMES = 20;
const OPEN_CHANGE_DB = 0.8;
/** Below the first level the mouth stays shut; above the second one the level has no effect. */
const SILENCE_DB = -58;
const AUDIBLE_DB = -46;
/** Hops on either side whose level also counts: a T or K is silent for up to 120 ms, but the mouth must not shut. */
const NEAR_HOPS = 2;
/** Change of the opening per hop: the gate opens at once and closes in 120 ms. */
const CLOSING_STEP = 0.34;
const KEPT_HOPS = 8;

/** Level and speech value of one hop. */
export interface GatedHop {
  /** Level of the hop without DC, dBFS, at least −100. */
  levelDb: number;
  /** How much of the hop is speech, 0..1. */
  speech: number;
}

/** The gate of one stream. */
export class SpeechGate {
  readonly #bands = new BandLevels();
  readonly #levels: number[] = [];
  /** Band levels of this frame and of the previous one; the two arrays are swapped with each frame. */
  #bandLevels = new Float64Array(BAND_COUNT);
  #previous = new Float64Array(BAND_COUNT);
  #hasPrevious = false;
  /** Values of the last frames, newest last. */
  readonly #changes: number[] = [];
  readonly #sorted = new Float64Array(OPENING_FRAMES);
  #isOpen = false;
  #openness = 0;

  /** Adds the next hop, float32 [640]. */
  push(hop: Float32Array): void {
    for (let frame = 0; frame < FRAMES_PER_HOP; frame++) {
      this.#changes.push(this.#changeOf(hop.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES)));
    }
    this.#changes.splice(0, this.#changes.length - OPEN_FRAMES);
    this.#isOpen = this.#isOpen
      ? mean(this.#changes) >= OPEN_CHANGE_DB || this.#keepsChanging()
      : this.#keepsChanging();
    this.#openness = this.#isOpen ? 1 : Math.max(0, this.#openness - CLOSING_STEP);
    this.#levels.push(levelOf(hop));
    if (this.#levels.length > KEPT_HOPS) this.#levels.shift();
  }

  /** Returns level and speech value of the hop that was pushed `hopsAgo` hops before the last one, based on the hops
   *  around it. Throws RangeError if that hop is no longer kept. */
  at(hopsAgo: number): GatedHop {
    const levelDb = this.#levels.at(-1 - hopsAgo);
    if (levelDb === undefined) throw new RangeError(`no hop is kept from ${hopsAgo} hops ago`);
    const hop = this.#levels.length - 1 - hopsAgo;
    let loudestDb = levelDb;
    const last = Math.min(this.#levels.length - 1, hop + NEAR_HOPS);
    for (let k = Math.max(0, hop - NEAR_HOPS); k <= last; k++) loudestDb = Math.max(loudestDb, this.#levels[k]);
    const audible = Math.min(1, Math.max(0, (loudestDb - SILENCE_DB) / (AUDIBLE_DB - SILENCE_DB)));
    return { levelDb, speech: audible * this.#openness };
  }

  reset(): void {
    this.#bands.reset();
    this.#levels.length = 0;
    this.#hasPrevious = false;
    this.#changes.length = 0;
    this.#isOpen = false;
    this.#openness = 0;
  }

  /** Mean change of the counted bands, dB per 20 ms. */
  #changeOf(frame: Float32Array): number {
    const levels = this.#bandLevels;
    const previous = this.#previous;
    this.#bands.push(frame, levels);
    [this.#bandLevels, this.#previous] = [previous, levels];
    if (!this.#hasPrevious) {
      this.#hasPrevious = true;
      return 0;
    }
    let loudest = levels[0];
    for (const level of levels) loudest = Math.max(loudest, level);
    const lowest = Math.max(AUDIBLE_BAND_DB, loudest - BELOW_LOUDEST_DB);
    let sum = 0;
    let count = 0;
    for (let k = 0; k < BAND_COUNT; k++) {
      if (levels[k] < lowest) continue;
      sum += Math.min(MAX_CHANGE_DB, Math.abs(levels[k] - previous[k]));
      count += 1;
    }
    return count === 0 ? 0 : sum / count;
  }

  #keepsChanging(): boolean {
    const first = this.#changes.length - OPENING_FRAMES;
    if (first < 0) return false;
    for (let k = 0; k < OPENING_FRAMES; k++) this.#sorted[k] = this.#changes[first + k];
    this.#sorted.sort();
    let sum = 0;
    const counted = OPENING_FRAMES - OPENING_LEFT_OUT;
    for (let k = 0; k < counted; k++) sum += this.#sorted[k];
    return sum / counted >= OPENING_CHANGE_DB;
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function levelOf(hop: Float32Array): number {
  const offset = hop.reduce((sum, sample) => sum + sample, 0) / hop.length;
  const power = hop.reduce((sum, sample) => sum + (sample - offset) ** 2, 0) / hop.length;
  return 10 * Math.log10(power + 1e-10);
}
