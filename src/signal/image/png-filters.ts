// The filters of PNG lines: what a sample is predicted from. Source: W3C PNG, 9.2.

/** None, sub, up, average, Paeth. */
export const PNG_FILTER_COUNT = 5;

/** What filter `filter` expects of a sample, given its neighbours. */
export function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 0) return 0;
  const toLeft = Math.abs(above - corner);
  const toAbove = Math.abs(left - corner);
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
