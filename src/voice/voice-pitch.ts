// Pitch of the voiced parts of a recording. Source of the method: de Cheveigné and
// Kawahara, "YIN, a fundamental frequency estimator for speech and music" (2002), steps 2 to 5.
import { Resampler } from "../audio/resampler.ts";

export interface VoicePitch {
  /** Median over the voiced stretches. */
  medianHz: number;
  /** Share of the listened-to time that is voiced, 0..1. */
  voicedShare: number;
}

/** Pitch is well below 400 Hz, so this rate is enough and cheap. */
const RATE_HZ = 8000;
const LOWEST_HZ = 60;
const HIGHEST_HZ = 400;
const LONGEST_LAG = Math.ceil(RATE_HZ / LOWEST_HZ);
const SHORTEST_LAG = Math.floor(RATE_HZ / HIGHEST_HZ);
/** Two of the longest periods. */
const WINDOW = 2 * LONGEST_LAG;
const HOP = RATE_HZ / 50;
/** Aperiodicity under which a stretch counts as voiced. Source: YIN uses 0.1 on clean speech; telephone and room audio
 *  need more. */
const VOICED_BELOW = 0.2;
/** Stretches quieter than this part of the loudest are pauses. */
const QUIET_SHARE = 0.1;
/** Seconds of a recording that are measured; more would not change the median. */
export const LISTENED_SECONDS = 30;
/** Shorter voiced parts are clicks or coughs. */
const LEAST_VOICED_S = 0.3;

/** The pitch of a recording (mono int16), of its first half minute; null if it has no speech. */
export function measureVoicePitch(samples: Int16Array, sampleRateHz: number): VoicePitch | null {
  const audio = atRate(samples.subarray(0, LISTENED_SECONDS * sampleRateHz), sampleRateHz);
  const starts: number[] = [];
  for (let start = 0; start + WINDOW + LONGEST_LAG + 2 <= audio.length; start += HOP) starts.push(start);
  const powers = starts.map((start) => powerOf(audio, start));
  const loudest = powers.reduce((most, power) => Math.max(most, power), 0);
  const pitches: number[] = [];
  starts.forEach((start, i) => {
    if (loudest === 0 || powers[i] < QUIET_SHARE ** 2 * loudest) return;
    const period = findPeriod(audio, start);
    if (period !== null) pitches.push(RATE_HZ / period);
  });
  if (pitches.length * HOP < LEAST_VOICED_S * RATE_HZ) return null;
  pitches.sort((left, right) => left - right);
  return { medianHz: pitches[pitches.length >> 1], voicedShare: pitches.length / starts.length };
}

function atRate(samples: Int16Array, sampleRateHz: number): Float32Array {
  const resampler = new Resampler(sampleRateHz, RATE_HZ);
  const body = resampler.push(Float32Array.from(samples)).slice();
  const tail = resampler.flush();
  const audio = new Float32Array(body.length + tail.length);
  audio.set(body);
  audio.set(tail, body.length);
  return audio;
}

function powerOf(audio: Float32Array, start: number): number {
  let sum = 0;
  for (let i = start; i < start + WINDOW; i++) sum += audio[i] * audio[i];
  return sum / WINDOW;
}

/** Samples from one opening of the vocal folds to the next, with a fraction; null where the audio does not repeat
 *  itself. */
function findPeriod(audio: Float32Array, start: number): number | null {
  const aperiodicity = new Float64Array(LONGEST_LAG + 2);
  let sum = 0;
  aperiodicity[0] = 1;
  for (let lag = 1; lag < aperiodicity.length; lag++) {
    let difference = 0;
    for (let i = start; i < start + WINDOW; i++) difference += (audio[i] - audio[i + lag]) ** 2;
    sum += difference;
    // Over the mean of all shorter lags: the first dip then tells the period, not a multiple of it.
    aperiodicity[lag] = sum > 0 ? (difference * lag) / sum : 1;
  }
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
    if (aperiodicity[lag] >= VOICED_BELOW) continue;
    while (lag < LONGEST_LAG && aperiodicity[lag + 1] < aperiodicity[lag]) lag++;
    return lag + dipBetween(aperiodicity[lag - 1], aperiodicity[lag], aperiodicity[lag + 1]);
  }
  return null;
}

/** Where between three neighbours their parabola is lowest, −0.5..0.5. */
function dipBetween(before: number, at: number, after: number): number {
  const bend = before - 2 * at + after;
  return bend > 0 ? Math.min(0.5, Math.max(-0.5, (before - after) / (2 * bend))) : 0;
}
