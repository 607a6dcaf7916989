// The places at which samples of a segment were removed, for positions in its original audio.

interface Cut {
  /** Samples of the shortened audio before this place. */
  at: number;
  samples: number;
}

/** All in samples at one rate. */
export class Cuts {
  /** Places that were not passed yet. */
  readonly #ahead: Cut[] = [];
  #passedSamples = 0;

  /** Samples removed before the place that was passed last. */
  get passedSamples(): number {
    return this.#passedSamples;
  }

  /** `samples` were removed after `at` samples of the shortened audio. Places come in order. */
  add(at: number, samples: number): void {
    this.#ahead.push({ at, samples });
  }

  /** The shortened audio was output up to here. */
  pass(until: number): void {
    while (this.#ahead.length > 0 && this.#ahead[0].at < until) this.#passedSamples += this.#ahead.shift()!.samples;
  }
}
