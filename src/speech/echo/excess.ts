// How much louder a signal is than the echo in it can be. The coupling between the reference and the echo is learned by
// band, so no converged filter is needed: the signal may be the microphone or what a filter left of it.
import { BANDS, bandPower } from "./bands.ts";
import type { SmearedReference } from "./smeared-reference.ts";

/** Blocks after which a moment counts as echo, if no person was heard until then: 200 ms. */
const DELAY = 20;
/** Steps a block. Up to down is 8 to 1: the coupling is what the echo exceeds a ninth of the time. */
const UP_DB = 0.8;
const DOWN_DB = 0.1;
/** While a person talks the coupling falls slowly and hardly rises: one that has become wrong is still corrected. */
const UP_BESIDE_PERSON_DB = 0.02;
const DOWN_BESIDE_PERSON_DB = 0.04;
/** A person who talks while the coupling is new adds to most blocks, and not to the quiet ones: it cannot be more than
 *  this beyond the 30 % of blocks with the least. Later it may, where a browser lets echo through by turns. */
const LOW_UP_DB = 0.3;
const LOW_DOWN_DB = 0.7;
const FIRST_SPREAD_DB = 9;
const LATER_SPREAD_DB = 40;
const NEW_BLOCKS = 150;
const SPREAD_DB_BY_BLOCK = 0.1;
/** The first blocks of a band count more. */
const FIRST_BLOCKS = 60;
const FIRST_SPEED = 4;
const MARGIN_DB = 3;
/** One band alone says no more than this. */
const MOST_DB = 15;
/** Share of the newest block in the judgement. */
const NEWEST = 0.25;
const FLOOR_RISE = 1.003;
const FLOOR_FALL = 0.1;
/** Noise is this much louder than its floor at times. */
const FLOOR_MARGIN = 4;
/** Sound is this much louder than the floor of the noise: 10 dB. */
const SOUNDING = 10;
const TINY = 1e-7;

export interface Moment {
  /** Whether a person counts as talking. */
  isPerson: boolean;
  /** Whether the reference is the one that this moment's echo comes from, or only one of about this time. */
  isLagKnown: boolean;
}

/** Judges one signal. */
export class Excess {
  readonly #firstDb: number;
  readonly #couplingDb = new Float64Array(BANDS);
  readonly #lowDb = new Float64Array(BANDS);
  readonly #blocks = new Float64Array(BANDS);
  readonly #floor = new Float64Array(BANDS);
  /** Ratios of the last blocks, dB; NaN where the reference was not loud. */
  readonly #ratios = new Float64Array(DELAY * BANDS).fill(Number.NaN);
  #next = 0;
  #judgement = 0;
  #isSounding = false;

  /** `firstDb`: coupling to believe in before any was heard. */
  constructor(firstDb: number) {
    this.#firstDb = firstDb;
    this.reset();
  }

  /** Forgets the room, but not the noise in it. */
  reset(): void {
    this.#couplingDb.fill(this.#firstDb);
    this.#lowDb.fill(this.#firstDb);
    this.#blocks.fill(0);
    this.#ratios.fill(Number.NaN);
    this.#judgement = 0;
  }

  /** Begins to learn anew, from what a signal has learned, this one or another. */
  restart(from: Excess): void {
    this.#couplingDb.set(from.#couplingDb);
    this.#lowDb.set(from.#couplingDb);
    this.#blocks.fill(0);
    this.#ratios.fill(Number.NaN);
    this.#judgement = 0;
  }

  /** Whether the last block was louder than noise in a third of the bands. */
  get isSounding(): boolean {
    return this.#isSounding;
  }

  /** Takes the spectrum of a block. Returns what is beyond the echo: the mean of the bands, dB, 0 to 15. */
  judge(power: ArrayLike<number>, reference: SmearedReference, { isPerson, isLagKnown }: Moment): number {
    let total = 0;
    let sounding = 0;
    const row = this.#next * BANDS;
    this.#next = (this.#next + 1) % DELAY;
    for (let band = 0; band < BANDS; band++) {
      const heard = bandPower(power, band);
      this.#followFloor(band, heard);
      if (heard > SOUNDING * this.#floor[band] && heard > TINY) sounding++;
      const levelDb = toDb(heard);
      const echo = 10 ** (this.#mostDb(band) / 10) * reference.power[band];
      const excessDb = levelDb - toDb(echo + FLOOR_MARGIN * this.#floor[band] + TINY) - MARGIN_DB;
      total += Math.min(MOST_DB, Math.max(0, excessDb));
      this.#learn(band, this.#ratios[row + band], isPerson);
      if (!isLagKnown) this.#lowDb[band] = this.#couplingDb[band];
      this.#ratios[row + band] = reference.isLoud[band] ? levelDb - toDb(reference.power[band]) : Number.NaN;
    }
    this.#isSounding = sounding > BANDS / 3;
    this.#judgement += NEWEST * (total / BANDS - this.#judgement);
    return this.#judgement;
  }

  #followFloor(band: number, heard: number): void {
    const floor = this.#floor[band];
    if (floor === 0) this.#floor[band] = heard;
    else if (heard < floor) this.#floor[band] += FLOOR_FALL * (heard - floor);
    else this.#floor[band] = Math.min(floor * FLOOR_RISE, heard);
  }

  /** The coupling to reckon with. */
  #mostDb(band: number): number {
    const spreadDb = FIRST_SPREAD_DB + SPREAD_DB_BY_BLOCK * Math.max(0, this.#blocks[band] - NEW_BLOCKS);
    return Math.min(this.#couplingDb[band], this.#lowDb[band] + Math.min(LATER_SPREAD_DB, spreadDb));
  }

  #learn(band: number, ratioDb: number, isPerson: boolean): void {
    if (Number.isNaN(ratioDb)) return;
    if (!isPerson) this.#blocks[band]++;
    const speed = this.#blocks[band] < FIRST_BLOCKS ? FIRST_SPEED : 1;
    if (ratioDb > this.#couplingDb[band]) {
      this.#couplingDb[band] += isPerson ? UP_BESIDE_PERSON_DB : UP_DB * speed;
    } else this.#couplingDb[band] -= (isPerson ? DOWN_BESIDE_PERSON_DB : DOWN_DB) * speed;
    if (ratioDb > this.#lowDb[band]) this.#lowDb[band] += isPerson ? UP_BESIDE_PERSON_DB : LOW_UP_DB;
    else this.#lowDb[band] -= LOW_DOWN_DB * speed;
  }
}

function toDb(power: number): number {
  return 10 * Math.log10(power + 1e-12);
}
