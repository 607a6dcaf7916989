// Smooth step function for blending.

/** 0 below `low`, 1 above `high`, 3t² − 2t³ between; with one argument the bounds are 0 and 1. Never throws. */
export function smoothstep(value: number, low = 0, high = 1): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}
