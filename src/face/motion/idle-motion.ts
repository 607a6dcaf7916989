// Idle motion of the head: it sways, and moves with the breath. A function of seed, time and speech activity.
import { FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";
import { breathAt } from "./breathing.ts";
import { smoothNoise } from "./smooth-noise.ts";

/** Time from one resting position of the head to the next. */
const SWAY_KNOT_MS = 1700;
/** Movement grows by this share while speaking. */
const SPEAKING_GAIN = 0.6;

/** Noise streams, one for each independent motion. */
const YAW = 1;
const PITCH = 2;
const ROLL = 3;
const SIDE = 4;
const HEIGHT = 5;
const BROW = 8;

export interface IdleMotion {
  seed: number;
  /** Speech activity, 0..1; the head moves more during speech. */
  speaking: number;
  /** 0..1, scales everything that moves the head. */
  headMotion: number;
  /** Scales what moves besides the breath; 1 is that of a person in conversation. */
  life: number;
}

/** Adds the idle motion of head and brow at a time (ms ≥ 0) to a pose. */
export function addIdleMotion(
  pose: Float32Array,
  timeMs: number,
  { seed, speaking, headMotion, life }: IdleMotion,
): void {
  const x = timeMs / SWAY_KNOT_MS;
  const sway = life * headMotion * (1 + SPEAKING_GAIN * speaking);
  const breath = breathAt(seed, timeMs);
  pose[K.yaw] += sway * 0.34 * smoothNoise(seed, YAW, x * 0.8);
  pose[K.pitch] += sway * 0.2 * smoothNoise(seed, PITCH, x) + headMotion * 0.05 * breath;
  pose[K.roll] += sway * 0.3 * smoothNoise(seed, ROLL, x * 0.7);
  pose[K.tx] += sway * 0.2 * smoothNoise(seed, SIDE, x * 0.6);
  pose[K.ty] += sway * 0.08 * smoothNoise(seed, HEIGHT, x * 0.9) - headMotion * 0.14 * breath;
  pose[K.brow] += life * 0.07 * smoothNoise(seed, BROW, x * 0.7);
}
