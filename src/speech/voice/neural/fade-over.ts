// Joins two pieces of audio that overlap.
//
// The network normalizes over a piece, so a piece is up to 7 dB louder or softer than the one before where both have
// the same sound. The new piece begins with the level of the one before and returns to its own within a word.
import { NEURAL_SAMPLE_RATE_HZ } from "./network-graphs.ts";

/** Time in which the level returns. */
const RAMP_SAMPLES = 0.4 * NEURAL_SAMPLE_RATE_HZ;
/** Most that the level is changed: 8 dB. */
const MOST_GAIN = 2.5;
/** Quieter parts (RMS, int16) are pauses: their levels mean nothing. */
const LEAST_LEVEL = 60;
const LARGEST = 32_767;

/** Fades from `ending`, which follows the piece before, into the begin of `samples`. Changes `samples`. */
export function fadeOver(ending: Int16Array, samples: Int16Array): void {
  const length = Math.min(ending.length, samples.length);
  if (length === 0) return;
  const [before, after] = [levelOf(ending.subarray(0, length)), levelOf(samples.subarray(0, length))];
  const isPause = before < LEAST_LEVEL || after < LEAST_LEVEL;
  const gain = isPause ? 1 : Math.min(MOST_GAIN, Math.max(1 / MOST_GAIN, before / after));
  for (let i = 0; i < Math.min(RAMP_SAMPLES, samples.length); i++) {
    const matched = samples[i] * gain ** (1 - i / RAMP_SAMPLES);
    const faded = i < length ? matched + (ending[i] - matched) * (1 - i / length) : matched;
    samples[i] = Math.max(-LARGEST, Math.min(LARGEST, Math.round(faded)));
  }
}

/** RMS. */
function levelOf(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}
