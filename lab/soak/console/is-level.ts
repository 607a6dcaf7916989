// Whether memory stays where it was.

export interface Level {
  /** Lowest of the samples around minute 10 of 60, and of the last five of 60. */
  early: number;
  late: number;
  /** `late` by `early`. */
  ratio: number;
  isLevel: boolean;
}

/** At minute 60, of minute 10. */
const MOST = 1.1;
const EARLY = [1 / 6, 1 / 4] as const;
const LATE = 11 / 12;

/** Samples at even times over the whole run, at least twelve. The lowest of several is taken, because a sample may meet
 *  a heap before it is collected. Throws RangeError for fewer. */
export function levelOf(samples: readonly number[]): Level {
  if (samples.length < 12) throw new RangeError(`${samples.length} samples are too few`);
  const lowest = (from: number, to: number) =>
    Math.min(...samples.slice(Math.floor(from * samples.length), Math.ceil(to * samples.length)));
  const early = lowest(...EARLY);
  const late = lowest(LATE, 1);
  const ratio = Math.round((1000 * late) / early) / 1000;
  return { early, late, ratio, isLevel: ratio <= MOST };
}
