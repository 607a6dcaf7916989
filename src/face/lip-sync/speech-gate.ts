// Separates speech from silence, hum, tones and steady noise, because the network alone opens the mouth for some of
// them.
//
// The spectrum of speech changes by 1.5 to 4 dB every 20 ms, that of noise, hum and chords by less than 1 dB. The gate
// opens when the spectrum keeps changing and closes when it has been steady for a while. It starts closed and has the
// same look-ahead as the video frames.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import { BAND_COUNT, BandLevels, FRAME_SAMPLES } from "./band-levels.ts";

const FRAMES_PER_HOP = LIP_SYNC_HOP_SAMPLES / FRAME_SAMPLES;
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
/** Hops on either side that count by their level: a T or K is silent for up to 120 ms, but the mouth must not shut. */
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
  /** Levels of the last hops, newest last. */
  readonly #levels = new Float64Array(KEPT_HOPS);
  #hops = 0;
  /** Band levels of this frame and of the previous one; the two arrays are swapped with each frame. */
  #bandLevels = new Float64Array(BAND_COUNT);
  #previous = new Float64Array(BAND_COUNT);
  #hasPrevious = false;
  /** Changes of the last frames, newest last. */
  readonly #changes = new Float64Array(OPEN_FRAMES);
  #frames = 0;
  readonly #sorted = new Float64Array(OPENING_FRAMES);
  #isOpen = false;
  #openness = 0;

  /** Adds the next hop, float32 [640]. */
  push(hop: Float32Array): void {
    for (let frame = 0; frame < FRAMES_PER_HOP; frame++) {
      append(this.#changes, this.#changeOf(hop, frame * FRAME_SAMPLES));
      this.#frames = Math.min(OPEN_FRAMES, this.#frames + 1);
    }
    this.#isOpen = this.#keepsChanging() || (this.#isOpen && this.#meanChange() >= OPEN_CHANGE_DB);
    this.#openness = this.#isOpen ? 1 : Math.max(0, this.#openness - CLOSING_STEP);
    append(this.#levels, levelOf(hop));
    this.#hops = Math.min(KEPT_HOPS, this.#hops + 1);
  }

  /** Returns level and speech value of the hop that was pushed `hopsAgo` hops before the last one, based on the hops
   *  around it. Throws RangeError if that hop is no longer kept. */
  at(hopsAgo: number): GatedHop {
    if (hopsAgo >= this.#hops) throw new RangeError(`no hop is kept from ${hopsAgo} hops ago`);
    const hop = KEPT_HOPS - 1 - hopsAgo;
    const levelDb = this.#levels[hop];
    let loudestDb = levelDb;
    const first = Math.max(KEPT_HOPS - this.#hops, hop - NEAR_HOPS);
    const last = Math.min(KEPT_HOPS - 1, hop + NEAR_HOPS);
    for (let k = first; k <= last; k++) loudestDb = Math.max(loudestDb, this.#levels[k]);
    const audible = Math.min(1, Math.max(0, (loudestDb - SILENCE_DB) / (AUDIBLE_DB - SILENCE_DB)));
    return { levelDb, speech: audible * this.#openness };
  }

  reset(): void {
    this.#bands.reset();
    this.#hops = 0;
    this.#hasPrevious = false;
    this.#frames = 0;
    this.#isOpen = false;
    this.#openness = 0;
  }

  /** Mean change of the counted bands in the 20 ms from sample `start` on, dB. */
  #changeOf(hop: Float32Array, start: number): number {
    const levels = this.#bandLevels;
    const previous = this.#previous;
    this.#bands.push(hop, start, levels);
    this.#bandLevels = previous;
    this.#previous = levels;
    if (!this.#hasPrevious) {
      this.#hasPrevious = true;
      return 0;
    }
    let loudest = levels[0];
    for (let k = 1; k < BAND_COUNT; k++) loudest = Math.max(loudest, levels[k]);
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

  /** Mean change of the frames that are kept. */
  #meanChange(): number {
    let sum = 0;
    for (let k = OPEN_FRAMES - this.#frames; k < OPEN_FRAMES; k++) sum += this.#changes[k];
    return sum / this.#frames;
  }

  #keepsChanging(): boolean {
    if (this.#frames < OPENING_FRAMES) return false;
    const first = OPEN_FRAMES - OPENING_FRAMES;
    for (let k = 0; k < OPENING_FRAMES; k++) this.#sorted[k] = this.#changes[first + k];
    this.#sorted.sort();
    let sum = 0;
    const counted = OPENING_FRAMES - OPENING_LEFT_OUT;
    for (let k = 0; k < counted; k++) sum += this.#sorted[k];
    return sum / counted >= OPENING_CHANGE_DB;
  }
}

/** Drops the first value and adds one at the end. */
function append(values: Float64Array, value: number): void {
  values.copyWithin(0, 1);
  values[values.length - 1] = value;
}

function levelOf(hop: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < hop.length; i++) sum += hop[i];
  const offset = sum / hop.length;
  let power = 0;
  for (let i = 0; i < hop.length; i++) power += (hop[i] - offset) ** 2;
  return 10 * Math.log10(power / hop.length + 1e-10);
}
