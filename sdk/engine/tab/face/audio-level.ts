// How loud audio is, for rings and bars.

/** Levels that count as silent and as loud, dB of full scale. */
const SILENT_DB = -50;
const LOUD_DB = -12;
const FULL_SCALE = 32_768;

/** Level of mono int16 samples: 0 silent, 1 loud, even steps of loudness between them. */
export function audioLevel(samples: Int16Array): number {
  let squares = 0;
  for (const sample of samples) squares += sample * sample;
  const level = Math.sqrt(squares / Math.max(1, samples.length)) / FULL_SCALE;
  const share = (20 * Math.log10(level + 1e-9) - SILENT_DB) / (LOUD_DB - SILENT_DB);
  return Math.min(1, Math.max(0, share));
}
