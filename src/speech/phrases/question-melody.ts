// Whether a phrase ended like a question: its pitch rises on the last syllables, and less is enough if they are drawn
// out. Questions with a word that asks ("where", "how much") may fall as statements do, and count as statements then.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { atRate } from "../../signal/audio/at-rate.ts";
import { findPeriod, PITCH_RATE_HZ, PITCH_SPAN, PITCH_WINDOW } from "../voice/measuring/pitch-period.ts";

const STEP_MS = 20;
const STEP = (PITCH_RATE_HZ * STEP_MS) / 1000;
/** For the middle of the phrase, one step of so many is enough. */
const COARSE = 3;
/** Steps with less than this share of the largest power are pauses or noise. */
const QUIET_SHARE = 0.003;
/** Aperiodicity under which a step is voiced: ends of phrases are creaky. */
const VOICED_BELOW = 0.4;
/** A pitch that is further than this from those beside it is an error of measuring, semitones. */
const STRAY_SEMITONES = 5;
/** The rise begins at most this long before the last voiced step, ms. */
const RISE_MS = 500;
const RISE_STEPS = RISE_MS / STEP_MS;
/** The end is the median of so many voiced steps. */
const END_STEPS = 3;
/** The least rise, semitones; the second is that of a last voiced stretch that is drawn out, which has this length,
 *  ms. */
const RISE_SEMITONES = 2.5;
const LONG_RISE_SEMITONES = 1.5;
const LONG_MS = 180;
/** The end of a question is not further below the middle of the phrase, semitones. */
const LOWEST_END_SEMITONES = -2.5;
/** Fewer voiced steps tell nothing. */
const LEAST_STEPS = 6;

type Pitch = number | null;

/** `audio`: the end of a phrase, mono int16 at 16 kHz, with the silence behind it. Takes a few milliseconds. */
export function soundsLikeQuestion(audio: Int16Array): boolean {
  const steps = new PitchSteps(audio);
  const ending = endingOf(steps);
  const voiced = ending.filter((pitch) => pitch !== null);
  if (voiced.length < LEAST_STEPS) return false;
  const end = median(voiced.slice(-END_STEPS));
  const rise = end - lowestOf(voiced);
  const isLong = lastStretch(ending) * STEP_MS >= LONG_MS;
  if (rise < (isLong ? LONG_RISE_SEMITONES : RISE_SEMITONES)) return false;
  return end - middleOf(steps) >= LOWEST_END_SEMITONES;
}

/** Pitch of every 20 ms, measured when it is first read. */
class PitchSteps {
  readonly length: number;
  readonly #audio: Float32Array;
  readonly #powers: Float64Array;
  readonly #leastPower: number;
  readonly #known = new Map<number, Pitch>();

  constructor(samples: Int16Array) {
    this.#audio = atRate(samples, SPEECH_SAMPLE_RATE_HZ, PITCH_RATE_HZ);
    this.length = Math.max(0, Math.floor((this.#audio.length - PITCH_SPAN) / STEP) + 1);
    this.#powers = Float64Array.from({ length: this.length }, (_, step) => powerOf(this.#audio, step * STEP));
    this.#leastPower = QUIET_SHARE * this.#powers.reduce((most, power) => Math.max(most, power), 0);
  }

  /** Semitones above 100 Hz; null where there is no voice. */
  at(step: number): Pitch {
    const known = this.#known.get(step);
    if (known !== undefined) return known;
    const pitch = this.#measure(step);
    this.#known.set(step, pitch);
    return pitch;
  }

  #measure(step: number): Pitch {
    if (this.#powers[step] <= this.#leastPower) return null;
    const period = findPeriod(this.#audio, step * STEP, VOICED_BELOW);
    return period === null ? null : 12 * Math.log2(PITCH_RATE_HZ / period / 100);
  }
}

/** Pitches up to the last voiced step, without errors. */
function endingOf(steps: PitchSteps): Pitch[] {
  let last = steps.length - 1;
  while (last >= 0 && steps.at(last) === null) last -= 1;
  const first = Math.max(0, last - RISE_STEPS);
  const pitches = Array.from({ length: last - first + 1 }, (_, index) => steps.at(first + index));
  return pitches.map((pitch, index) => {
    const beside = [-2, -1, 1, 2].map((distance) => pitches[index + distance] ?? null);
    const isNear = beside.some(
      (other) => other !== null && pitch !== null && Math.abs(other - pitch) < STRAY_SEMITONES,
    );
    return isNear ? pitch : null;
  });
}

function middleOf(steps: PitchSteps): number {
  const pitches: number[] = [];
  for (let step = 0; step < steps.length; step += COARSE) {
    const pitch = steps.at(step);
    if (pitch !== null) pitches.push(pitch);
  }
  return median(pitches);
}

/** The second lowest, because the lowest may be an error. */
function lowestOf(pitches: readonly number[]): number {
  return [...pitches].sort((left, right) => left - right)[1];
}

/** Length of the last voiced stretch, steps; one step without voice does not end it. */
function lastStretch(pitches: readonly Pitch[]): number {
  let end = pitches.length - 1;
  while (end >= 0 && pitches[end] === null) end -= 1;
  let start = end;
  while (start > 0 && (pitches[start - 1] !== null || (start > 1 && pitches[start - 2] !== null))) start -= 1;
  return end - start + 1;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

function powerOf(audio: Float32Array, start: number): number {
  let sum = 0;
  for (let i = start; i < start + PITCH_WINDOW; i++) sum += audio[i] * audio[i];
  return sum;
}
