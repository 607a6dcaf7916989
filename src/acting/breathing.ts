// The chest's rhythm. A function of seed and time.
import { smoothNoise } from "./smooth-noise.ts";

/** A calm breath: 14 a minute. Its length wanders by ± 15 %, so that no two minutes look alike. */
const BREATH_MS = 4300;
const BREATH_WANDER = 0.15;
/** Breaths differ in depth by this share. */
const DEPTH_WANDER = 0.25;
const STREAM = 6;
const DEPTH_STREAM = 9;

/** Chest at a moment (ms ≥ 0): −1 breathed out to 1 breathed in. */
export function breathAt(seed: number, timeMs: number): number {
  const phase = timeMs / BREATH_MS + BREATH_WANDER * smoothNoise(seed, STREAM, timeMs / (2 * BREATH_MS));
  const depth = 1 - DEPTH_WANDER * (0.5 + 0.5 * smoothNoise(seed, DEPTH_STREAM, timeMs / (3 * BREATH_MS)));
  return Math.max(-1, Math.min(1, depth * Math.sin(2 * Math.PI * phase)));
}
