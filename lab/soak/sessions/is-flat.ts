/** Memory of the idle service after a number of sessions, MB. */
export interface MemorySample {
  sessions: number;
  serviceMb: number;
  livekitMb: number;
  postgresMb: number;
}

/** Growth that is no leak: heaps breathe. */
const GROWTH_SHARE = 0.08;
const GROWTH_MB = 15;

/** Whether the memory stays. The first sample is left out, because caches fill; the lowest of the next three is
 *  compared with the lowest of the last three, because a sample may meet a heap before it is collected. True with fewer
 *  than four samples. */
export function isFlat(samples: readonly Pick<MemorySample, "serviceMb">[]): boolean {
  if (samples.length < 4) return true;
  const lowest = (some: readonly Pick<MemorySample, "serviceMb">[]) =>
    Math.min(...some.map(({ serviceMb }) => serviceMb));
  const early = lowest(samples.slice(1, 4));
  return lowest(samples.slice(-3)) <= early * (1 + GROWTH_SHARE) + GROWTH_MB;
}
