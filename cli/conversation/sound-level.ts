// How loud audio is, and from where on it counts as sound.

/** Loudness above which a block of audio is sound: −50 dB. */
export const SOUND_LEVEL = 100;

/** Root of the mean square. */
export function levelOf(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}
