// A head that is alive: it sways and rides on the breath. A function of seed, time and how much is being said.
import type { FacePose } from "../../shared/face-parameters.ts";
import { breathAt } from "./breathing.ts";
import { smoothNoise } from "./smooth-noise.ts";

/** Time from one resting position of the head to the next. */
const SWAY_KNOT_MS = 1700;
/** Movement grows by this share while speaking. */
const SPEAKING_GAIN = 0.6;

/** Noise streams, one for each thing that moves on its own. */
const YAW = 1;
const PITCH = 2;
const ROLL = 3;
const SIDE = 4;
const HEIGHT = 5;
const BROW = 8;

/** Head and brow at a moment. `speaking` 0..1; `headMotion` 0..1 scales everything that moves the head. */
export function idleMotionAt(seed: number, timeMs: number, speaking: number, headMotion: number): FacePose {
  const x = timeMs / SWAY_KNOT_MS;
  const sway = headMotion * (1 + SPEAKING_GAIN * speaking);
  const breath = breathAt(seed, timeMs);
  return {
    yaw: sway * 0.34 * smoothNoise(seed, YAW, x * 0.8),
    pitch: sway * 0.2 * smoothNoise(seed, PITCH, x) + headMotion * 0.05 * breath,
    roll: sway * 0.3 * smoothNoise(seed, ROLL, x * 0.7),
    tx: sway * 0.2 * smoothNoise(seed, SIDE, x * 0.6),
    ty: sway * 0.08 * smoothNoise(seed, HEIGHT, x * 0.9) - headMotion * 0.14 * breath,
    brow: 0.07 * smoothNoise(seed, BROW, x * 0.7),
  };
}
