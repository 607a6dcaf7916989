// Shortens audio slightly and inaudibly, without changing its pitch, so that delayed audio catches up.
//
// One waveform-similarity splice per block: finds the lag with the largest autocorrelation (a period of the voice) and
// cross-fades the audio to itself at that lag. Source: WSOLA, Verhelst & Roelands, ICASSP 1993; jitter buffers do the
// same.

import { findPeriod, LONGEST_PERIOD_MS } from "./voice-period.ts";

/** Normalised correlation above which a splice in voiced audio is inaudible. */
const LEAST_SIMILARITY = 0.75;
/** RMS below which audio counts as a pause (−48 dBFS). */
const PAUSE_LEVEL = 0.004;
/** Share of a pause that may be removed, and the length of the cross-fade, ms. */
const PAUSE_SHARE = 0.5;
const PAUSE_FADE_MS = 5;
/** Share of voiced audio that may be removed over time. More sounds hurried. */
const VOICED_SHARE = 0.12;

export class TimeShortener {
  readonly #rateHz: number;
  /** Samples of voiced audio that may currently be removed. */
  #allowance = 0;

  constructor(rateHz: number) {
    this.#rateHz = rateHz;
  }

  /** Returns the block (float32 in [−1, 1], best 20 to 40 ms) without up to `atMostSamples` of its samples, or the same
   *  block if no samples can be removed inaudibly. The first and last samples are kept, so that the block joins its
   *  neighbours. */
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

  /** The lag with the largest autocorrelation, or 0 if it is below the threshold. */
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

/** Removes `cut` samples: cross-fades from the block's start to the audio `cut` samples later. */
function splice(block: Float32Array, cut: number, fadeSamples: number): Float32Array {
  const output = block.slice(cut);
  for (let i = 0; i < fadeSamples; i++) {
    const share = (i + 0.5) / fadeSamples;
    output[i] = block[i] * (1 - share) + block[i + cut] * share;
  }
  return output;
}
