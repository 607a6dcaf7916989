// Finds the pitch of a synthesized voice, to design and compare voices. Source of the method: de Cheveigné and
// Kawahara, "YIN, a fundamental frequency estimator for speech and music" (2002), steps 2 to 5.

/** Pitch is well below 400 Hz, so this rate is enough and cheap. */
export const PITCH_RATE_HZ = 8000;
const LOWEST_HZ = 60;
const HIGHEST_HZ = 400;
const LONGEST_LAG = Math.ceil(PITCH_RATE_HZ / LOWEST_HZ);
const SHORTEST_LAG = Math.floor(PITCH_RATE_HZ / HIGHEST_HZ);
/** Two of the longest periods. */
export const PITCH_WINDOW = 2 * LONGEST_LAG;
/** Samples from the start of a stretch that are read. */
export const PITCH_SPAN = PITCH_WINDOW + LONGEST_LAG + 2;
/** Aperiodicity under which a stretch counts as voiced. Source: YIN uses 0.1 on clean speech; telephone and room audio
 *  need more. */
const VOICED_BELOW = 0.2;

/** Samples from one opening of the vocal folds to the next, with a fraction, for audio at PITCH_RATE_HZ; null where the
 *  audio does not repeat itself. Reads PITCH_SPAN samples from `start`. `voicedBelow`: aperiodicity under which it
 *  does, 0 to 1. */
export function findPeriod(audio: Float32Array, start: number, voicedBelow = VOICED_BELOW): number | null {
  const aperiodicity = new Float64Array(LONGEST_LAG + 2);
  let sum = 0;
  aperiodicity[0] = 1;
  for (let lag = 1; lag < aperiodicity.length; lag++) {
    let difference = 0;
    for (let i = start; i < start + PITCH_WINDOW; i++) difference += (audio[i] - audio[i + lag]) ** 2;
    sum += difference;
    // Over the mean of all shorter lags: the first dip then tells the period, not a multiple of it.
    aperiodicity[lag] = sum > 0 ? (difference * lag) / sum : 1;
  }
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
    if (aperiodicity[lag] >= voicedBelow) continue;
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
