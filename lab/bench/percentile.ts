// Order statistics of measurements.

/** The smallest value that `share` (0 to 1) of the values do not exceed. Throws RangeError without values. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError("no values");
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}

/** Median, 95th percentile and largest value, rounded to 0.1. */
export function summarize(values: readonly number[]): { p50: number; p95: number; max: number } {
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    p50: round(percentile(values, 0.5)),
    p95: round(percentile(values, 0.95)),
    max: round(percentile(values, 1)),
  };
}
