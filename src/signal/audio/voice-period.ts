// Finds after how many samples voiced audio repeats, for cutting and joining it: the lag with the largest
// autocorrelation.

/** Pitch range of voices: 80 to 400 Hz. */
const SHORTEST_PERIOD_MS = 2.5;
export const LONGEST_PERIOD_MS = 12.5;
/** Lags are first searched at about this rate, then refined, so that the cost does not depend on the sender's rate. */
const COARSE_RATE_HZ = 16_000;

export interface VoicePeriod {
  /** Samples; 0 if the block is shorter than two of the shortest periods. */
  lag: number;
  /** Normalised correlation at that lag, −1 to 1. */
  similarity: number;
}

/** Correlates the first half of a block (any scale, best 20 to 40 ms) with the samples that follow it. */
export function findPeriod(block: Float32Array | Int16Array, rateHz: number): VoicePeriod {
  const first = Math.round((SHORTEST_PERIOD_MS * rateHz) / 1000);
  const last = Math.min(Math.round((LONGEST_PERIOD_MS * rateHz) / 1000), Math.floor(block.length / 2));
  if (last < first) return { lag: 0, similarity: 0 };
  const stride = Math.max(1, Math.round(rateHz / COARSE_RATE_HZ));
  const { lag } = mostSimilarLag(block, first, last, stride);
  return mostSimilarLag(block, Math.max(first, lag - stride), Math.min(last, lag + stride), 1);
}

/** The lag from `first` to `last` with the largest normalised correlation. */
function mostSimilarLag(block: Float32Array | Int16Array, first: number, last: number, stride: number): VoicePeriod {
  const length = Math.floor(block.length / 2);
  let best = { lag: first, similarity: -1 };
  for (let lag = first; lag <= last; lag += stride) {
    let product = 0;
    let power = 0;
    let laterPower = 0;
    for (let i = 0; i < length; i += stride) {
      product += block[i] * block[i + lag];
      power += block[i] * block[i];
      laterPower += block[i + lag] * block[i + lag];
    }
    const similarity = product / Math.sqrt(power * laterPower + Number.EPSILON);
    if (similarity > best.similarity) best = { lag, similarity };
  }
  return best;
}
