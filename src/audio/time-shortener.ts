// Makes audio a little shorter without changing its pitch, inaudibly: audio that has fallen behind catches up that way.
//
// One waveform-similarity splice per block: the lag at which the sound resembles itself most (a period of the voice)
// is found, and the sound is faded over to itself that much later. Source: WSOLA, Verhelst & Roelands, ICASSP 1993;
// jitter buffers do the same.

import { findPeriod, LONGEST_PERIOD_MS } from "./voice-period.ts";

/** Normalised correlation from which a splice in voiced sound goes unheard. */
const LEAST_SIMILARITY = 0.75;
/** Root of the mean square below which sound counts as a pause (−48 dB of full scale). */
const PAUSE_LEVEL = 0.004;
/** Share of a pause that may be left out, and how the rest is joined, ms. */
const PAUSE_SHARE = 0.5;
const PAUSE_FADE_MS = 5;
/** Share of voiced sound that may be left out over time: faster is heard as haste. */
const VOICED_SHARE = 0.12;

export class TimeShortener {
  readonly #rateHz: number;
  /** Samples that may be left out of voiced sound by now. */
  #allowance = 0;

  constructor(rateHz: number) {
    this.#rateHz = rateHz;
  }

  /** Returns the block (float32 in [−1, 1], at best 20 to 40 ms) without up to `atMostSamples` of its samples: the
   *  same block if nothing can be left out unheard. First and last sample stay neighbours of what is before and after.
   *  */
  shorten(block: Float32Array, atMostSamples: number): Float32Array {
    if (isPause(block)) {
      const cut = Math.floor(Math.min(atMostSamples, block.length * PAUSE_SHARE));
      return cut > 0 ? splice(block, cut, Math.min(this.#samples(PAUSE_FADE_MS), block.length - cut)) : block;
    }
    this.#allowance = Math.min(this.#samples(LONGEST_PERIOD_MS), this.#allowance + block.length * VOICED_SHARE);
    const lag = this.#period(block);
    if (lag === 0 || lag > Math.min(this.#allowance, atMostSamples)) return block;
    this.#allowance -= lag;
    return splice(block, lag, lag);
  }

  /** The lag at which the block resembles itself most, or 0 if it does not well enough. */
  #period(block: Float32Array): number {
    const { lag, similarity } = findPeriod(block, this.#rateHz);
    return similarity >= LEAST_SIMILARITY ? lag : 0;
  }

  #samples(ms: number): number {
    return Math.round((ms * this.#rateHz) / 1000);
  }
}

function isPause(block: Float32Array): boolean {
  let power = 0;
  for (const sample of block) power += sample * sample;
  return power < PAUSE_LEVEL * PAUSE_LEVEL * block.length;
}

/** Leaves out `cut` samples: fades from the block's start to the sound that is `cut` samples later. */
function splice(block: Float32Array, cut: number, fadeSamples: number): Float32Array {
  const output = block.slice(cut);
  for (let i = 0; i < fadeSamples; i++) {
    const share = (i + 0.5) / fadeSamples;
    output[i] = block[i] * (1 - share) + block[i + cut] * share;
  }
  return output;
}
