// Brings a sentence to the level of the built-in voice.

/** RMS of the built-in neural voice's speech, of ±1. */
const SPEECH_LEVEL = 0.06;
/** Largest sample, of ±1. */
const MOST_PEAK = 0.95;
const LARGEST = 32_767;

/** int16 samples of a sentence, so loud that voices can take turns, and never clipped. `samples`: float32, ±1. */
export function levelledSamples(samples: Float32Array): Int16Array {
  let [square, peak] = [0, 0];
  for (const sample of samples) {
    square += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
  }
  if (peak === 0) return new Int16Array(samples.length);
  const level = Math.sqrt(square / samples.length);
  const gain = Math.min(SPEECH_LEVEL / level, MOST_PEAK / peak) * LARGEST;
  return Int16Array.from(samples, (sample) => Math.round(sample * gain));
}
