// What the avatar's engine put out, on the line of time on which it leaves the audio queue.

/** Seconds that are kept, those still to come included. A power of two, in samples. */
const CAPACITY = 2 ** 17;
/** Blocks that begin within this distance of the end of the last one continue it: their times are rounded. */
const SLACK_SAMPLES = 160;

/** Samples by their place: milliseconds × 16. */
export class ReferenceLine {
  readonly #samples = new Float32Array(CAPACITY);
  /** Place after the last sample that was written. */
  #end = Number.NEGATIVE_INFINITY;

  /** Place after the last sample; −Infinity before the first one. */
  get end(): number {
    return this.#end;
  }

  /** Writes samples at a place. A gap before them is silent; what was written for their time is replaced. */
  write(samples: Int16Array, place: number): void {
    let at = Math.abs(place - this.#end) <= SLACK_SAMPLES ? this.#end : place;
    if (at > this.#end) this.#fillSilence(Math.max(this.#end, at - CAPACITY), at);
    const from = Math.max(0, samples.length - CAPACITY);
    at += from;
    for (let i = from; i < samples.length; i++) this.#samples[at++ & (CAPACITY - 1)] = samples[i] / 32_768;
    this.#end = at;
  }

  /** Forgets what comes from a place on. */
  cut(place: number): void {
    this.#end = Math.min(this.#end, place);
  }

  /** Copies the samples from a place on; those that were not played or are forgotten are 0. */
  read(place: number, into: Float64Array): void {
    const first = this.#end - CAPACITY;
    for (let i = 0; i < into.length; i++) {
      const at = place + i;
      into[i] = at < this.#end && at >= first ? this.#samples[at & (CAPACITY - 1)] : 0;
    }
  }

  #fillSilence(from: number, to: number): void {
    if (!Number.isFinite(from)) this.#samples.fill(0);
    else for (let at = from; at < to; at++) this.#samples[at & (CAPACITY - 1)] = 0;
  }
}
