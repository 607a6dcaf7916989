// Order statistics.

/** The q-th percentile (0..100) with linear interpolation between ranks; NaN values are left out. NaN if none remain.
 *  */
export function percentile(values: ArrayLike<number>, q: number): number {
  const sorted = Float64Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort();
  if (sorted.length === 0) return Number.NaN;
  const rank = (Math.min(100, Math.max(0, q)) / 100) * (sorted.length - 1);
  const low = Math.floor(rank);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (rank - low);
}

/** The middle value; NaN values are left out. NaN if none remain. */
export function median(values: ArrayLike<number>): number {
  return percentile(values, 50);
}
