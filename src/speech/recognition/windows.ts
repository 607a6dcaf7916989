// Which part of the audio the recogniser reads at once. Whisper was trained on thirty seconds; a window cut to the
// utterance takes a tenth of the time.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";

/** Shorter windows than this lose words. */
const LEAST_S = 5;
/** What the network has places for. */
const MOST_S = 30;
/** Silence after the last word, so that it is recognised as the last. */
const AFTER_S = 0.5;
/** Windows are a multiple of this, so that few shapes occur. */
const STEP_S = 0.5;
/** Longer audio is cut at its quietest moment between these two. */
const CUT_FROM_S = 20;
const CUT_TO_S = 29;
const QUIET_S = 0.1;
/** A second try reads this much more silence. */
const LONGER = 2;

/** Seconds of the window for `sampleCount` samples: 5 to 30. */
export function windowSeconds(sampleCount: number): number {
  const seconds = Math.ceil((sampleCount / SPEECH_SAMPLE_RATE_HZ + AFTER_S) / STEP_S) * STEP_S;
  return Math.min(MOST_S, Math.max(LEAST_S, seconds));
}

/** The window of a second try, or undefined if there is no longer one. */
export function longerWindow(seconds: number): number | undefined {
  return seconds < MOST_S ? Math.min(MOST_S, seconds * LONGER) : undefined;
}

/** Cuts audio into parts that fit a window; returns views. Up to 29 s are one part. */
export function cutAtPauses(samples: Int16Array, sampleRateHz: number = SPEECH_SAMPLE_RATE_HZ): Int16Array[] {
  const parts: Int16Array[] = [];
  let rest = samples;
  while (rest.length > CUT_TO_S * sampleRateHz) {
    const at = quietestMoment(rest, sampleRateHz);
    parts.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return [...parts, rest];
}

function quietestMoment(samples: Int16Array, sampleRateHz: number): number {
  const quietSamples = Math.round(QUIET_S * sampleRateHz);
  let quietest = Number.POSITIVE_INFINITY;
  let best = 0;
  const to = CUT_TO_S * sampleRateHz - quietSamples;
  for (let from = CUT_FROM_S * sampleRateHz; from <= to; from += quietSamples >> 1) {
    let sum = 0;
    for (let i = from; i < from + quietSamples; i++) sum += Math.abs(samples[i]);
    if (sum >= quietest) continue;
    quietest = sum;
    best = from + (quietSamples >> 1);
  }
  return best;
}
