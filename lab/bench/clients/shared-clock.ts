// One clock for all processes of a benchmark: Linux's monotonic clock, which every process of the machine reads alike.

/** Difference between that clock and this process's `performance.now()`, ms. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Time on the shared clock, ms. */
export function sharedNowMs(): number {
  return toSharedMs(performance.now());
}

/** The shared clock's time for a time of this process's `performance.now()`, ms. */
export function toSharedMs(performanceMs: number): number {
  return performanceMs + OFFSET_MS;
}
