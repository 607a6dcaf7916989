// Breathing: the position of the chest as a function of seed and time.
import { smoothNoise } from "./smooth-noise.ts";

/** Length of a calm breath, 14 per minute. It varies by ± 15 %, so that no two minutes look alike. */
const BREATH_MS = 4300;
const BREATH_WANDER = 0.15;
/** Share by which the depth of breaths varies. */
const DEPTH_WANDER = 0.25;
const STREAM = 6;
const DEPTH_STREAM = 9;

/** Chest position at a time (ms ≥ 0), from −1 (breathed out) to 1 (breathed in). */
export function breathAt(seed: number, timeMs: number): number {
  const phase = timeMs / BREATH_MS + BREATH_WANDER * smoothNoise(seed, STREAM, timeMs / (2 * BREATH_MS));
  const depth = 1 - DEPTH_WANDER * (0.5 + 0.5 * smoothNoise(seed, DEPTH_STREAM, timeMs / (3 * BREATH_MS)));
  return Math.max(-1, Math.min(1, depth * Math.sin(2 * Math.PI * phase)));
}
