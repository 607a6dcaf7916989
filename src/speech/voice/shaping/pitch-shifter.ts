// Changes pitch and formants of a stream of speech without changing its tempo. Source of the method: Moulines and
// Charpentier, "Pitch-synchronous waveform processing techniques for text-to-speech synthesis using diphones" (1990),
// TD-PSOLA: two periods around each opening of the vocal folds are one grain; grains are laid closer together or
// further apart. A grain that is read faster has higher formants.
import { PeriodTrack } from "./period-track.ts";

/** Distance of grains where nothing is voiced. */
const UNVOICED_S = 0.005;
/** The longest period that is found: 60 Hz. */
const LONGEST_PERIOD_S = 1 / 60;
/** The next opening is this part of a period earlier or later than expected. */
const SEARCH_SHARE = 0.2;

/** A place around which a grain is taken. */
interface Mark {
  /** Sample of the stream. */
  at: number;
  /** Half the length of the grain, samples. */
  period: number;
  isVoiced: boolean;
}

export interface PitchShift {
  /** Factor of the pitch, 0.5 to 2. */
  pitch: number;
  /** Factor of the formants, 0.8 to 1.25. */
  formants: number;
}

/** As many samples come out as go in, each at its time. */
export class PitchShifter {
  readonly #shift: PitchShift;
  readonly #sampleRateHz: number;
  /** Longest grain on either side of its mark. */
  readonly #reach: number;
  #track: PeriodTrack;
  #input = new Float32Array(0);
  #inputCount = 0;
  #marks: Mark[] = [];
  #output = new Float32Array(0);
  #emitted = 0;
  /** Where the next grain is laid, with a fraction. */
  #nextAt = 0;
  /** Mark of the last grain. */
  #nearest = 0;

  constructor(sampleRateHz: number, shift: PitchShift) {
    this.#sampleRateHz = sampleRateHz;
    this.#shift = shift;
    this.#reach = Math.ceil((LONGEST_PERIOD_S * sampleRateHz * 1.3) / Math.min(1, shift.formants));
    this.#track = new PeriodTrack(sampleRateHz);
  }

  /** The samples (full scale 1) that can be made so far; up to 0.1 s are held back. */
  push(samples: Float32Array): Float32Array {
    this.#append(samples);
    this.#track.push(samples);
    return this.#advance(false);
  }

  /** The remaining samples. Begins a new stream. */
  flush(): Float32Array {
    this.#track.end();
    const rest = this.#advance(true);
    this.#track = new PeriodTrack(this.#sampleRateHz);
    this.#input = new Float32Array(0);
    this.#inputCount = 0;
    this.#marks = [];
    this.#output = new Float32Array(0);
    this.#emitted = 0;
    this.#nextAt = 0;
    this.#nearest = 0;
    return rest;
  }

  #append(samples: Float32Array): void {
    const count = this.#inputCount + samples.length;
    if (count > this.#input.length) {
      this.#input = grown(this.#input, 2 * count);
      this.#output = grown(this.#output, 2 * count + 4 * this.#reach);
    }
    this.#input.set(samples, this.#inputCount);
    this.#inputCount = count;
  }

  #advance(isEnd: boolean): Float32Array {
    this.#findMarks(isEnd);
    const last = this.#marks.at(-1)?.at ?? 0;
    while (this.#nextAt < (isEnd ? this.#inputCount : last) && this.#marks.length > 0) this.#layGrain();
    // A grain that is still to come reaches back this far.
    const until = isEnd ? this.#inputCount : Math.max(this.#emitted, Math.floor(this.#nextAt) - this.#reach);
    const ready = this.#output.slice(this.#emitted, until);
    this.#emitted = until;
    return ready;
  }

  #findMarks(isEnd: boolean): void {
    const until = isEnd ? this.#inputCount : Math.min(this.#track.knownUntil, this.#inputCount) - 2 * this.#reach;
    if (this.#marks.length === 0 && until > 0) this.#marks.push(this.#unvoicedMark(0));
    for (let last = this.#marks.at(-1); last && last.at < until; last = this.#marks.at(-1)) {
      this.#marks.push(this.#markAfter(last));
    }
  }

  #markAfter(last: Mark): Mark {
    const expected = last.at + last.period;
    const period = this.#track.at(expected);
    if (period === 0) return this.#unvoicedMark(expected);
    if (!last.isVoiced) return { at: this.#loudest(expected, expected + period), period, isVoiced: true };
    return { at: this.#likest(last.at, period), period, isVoiced: true };
  }

  #unvoicedMark(at: number): Mark {
    return { at: Math.round(at), period: Math.round(UNVOICED_S * this.#sampleRateHz), isVoiced: false };
  }

  /** The sample with the largest amplitude. */
  #loudest(from: number, to: number): number {
    let best = Math.round(from);
    for (let i = best; i < to; i++) if (Math.abs(this.#sample(i)) > Math.abs(this.#sample(best))) best = i;
    return best;
  }

  /** The place about one period later with surroundings most like those of `at`. */
  #likest(at: number, period: number): number {
    const half = Math.round(period / 2);
    const margin = Math.round(SEARCH_SHARE * period);
    let best = at + Math.round(period);
    let most = Number.NEGATIVE_INFINITY;
    for (let candidate = best - margin, to = best + margin; candidate <= to; candidate++) {
      let product = 0;
      let power = 1e-9;
      for (let i = -half; i < half; i++) {
        const sample = this.#sample(candidate + i);
        product += this.#sample(at + i) * sample;
        power += sample * sample;
      }
      const likeness = product / Math.sqrt(power);
      if (likeness <= most) continue;
      most = likeness;
      best = candidate;
    }
    return best;
  }

  #layGrain(): void {
    const marks = this.#marks;
    const at = this.#nextAt;
    while (this.#nearest + 1 < marks.length && marks[this.#nearest + 1].at - at <= at - marks[this.#nearest].at) {
      this.#nearest++;
    }
    const { at: from, period, isVoiced } = marks[this.#nearest];
    const { pitch, formants } = this.#shift;
    const reach = period / formants;
    // More grains are louder.
    const gain = isVoiced ? 1 / Math.sqrt(pitch) : 1;
    const first = Math.max(0, Math.ceil(at - reach));
    const last = Math.min(this.#output.length - 1, Math.floor(at + reach));
    for (let i = first; i <= last; i++) {
      const offset = i - at;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * offset) / reach);
      this.#output[i] += gain * window * this.#between(from + offset * formants);
    }
    this.#nextAt += isVoiced ? period / pitch : period;
  }

  /** The input between two samples. */
  #between(position: number): number {
    const before = Math.floor(position);
    const share = position - before;
    const [a, b, c, d] = [-1, 0, 1, 2].map((offset) => this.#sample(before + offset));
    // Cubic Hermite interpolation.
    const bend = a - 2.5 * b + 2 * c - 0.5 * d;
    const twist = 1.5 * (b - c) + 0.5 * (d - a);
    return b + share * (0.5 * (c - a) + share * (bend + share * twist));
  }

  #sample(index: number): number {
    return index >= 0 && index < this.#inputCount ? this.#input[index] : 0;
  }
}

function grown(samples: Float32Array, length: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(length);
  larger.set(samples);
  return larger;
}
