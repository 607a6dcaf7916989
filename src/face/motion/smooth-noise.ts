// Noise as a function of time: the same seed and time always give the same value. It does not repeat within a day.

/** Hash of a seed and two whole numbers to [0, 1). Mixes as murmur3's finaliser does. Never throws. */
export function hashUnit(seed: number, stream: number, index: number): number {
  let h = (seed ^ Math.imul(stream + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** Smooth noise in about [−1, 1]: two layers of interpolated random values. The finer one has 2.3 times the rate and a
 *  third of the amplitude. `x` counts knots of the coarse layer; its first derivative is continuous. */
export function smoothNoise(seed: number, stream: number, x: number): number {
  return (knotNoise(seed, stream * 2, x) + knotNoise(seed, stream * 2 + 1, x * 2.3) / 3) * 0.85;
}

function knotNoise(seed: number, stream: number, x: number): number {
  const knot = Math.floor(x);
  const t = x - knot;
  const p0 = hashUnit(seed, stream, knot - 1) * 2 - 1;
  const p1 = hashUnit(seed, stream, knot) * 2 - 1;
  const p2 = hashUnit(seed, stream, knot + 1) * 2 - 1;
  const p3 = hashUnit(seed, stream, knot + 2) * 2 - 1;
  // Catmull-Rom passes through the knots without stopping. Smoothstep stops at each knot, which is visible in head
  // motion.
  return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}
