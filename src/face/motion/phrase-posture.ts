// Moves the head to a new position at the beginning of each phrase, as people do when they speak.
import { FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import { hashUnit } from "./smooth-noise.ts";

/** Shortest silence before a new phrase, ticks. */
const PAUSE_TICKS = 6;
const AUDIBLE_DB = -42;
/** A damped spring, per tick: acceleration per distance to the target, and the share of the speed that is kept. It
 *  takes about 0.5 s and starts without a jerk. */
const EAGERNESS = 0.012;
const DAMPING = 0.8;
const STREAM = 61;
/** Largest distance of the head from its rest position. */
const REACH = Object.freeze({ yaw: 0.26, roll: 0.22, tx: 0.14 });
type Axis = keyof typeof REACH;
const AXES = Object.keys(REACH) as Axis[];

/** The posture of one avatar, one call per tick. Deterministic for a seed and its audio. */
export class PhrasePosture {
  readonly #seed: number;
  readonly #at: Record<Axis, number> = { yaw: 0, roll: 0, tx: 0 };
  readonly #speed: Record<Axis, number> = { yaw: 0, roll: 0, tx: 0 };
  readonly #target: Record<Axis, number> = { yaw: 0, roll: 0, tx: 0 };
  #phrases = 0;
  #quietTicks = PAUSE_TICKS;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Adds the posture of one tick to a pose, scaled by `headMotion` 0..1. `levelDb`: loudness of the speech, null for
   *  silence; the head then returns to rest. */
  addTo(pose: Float32Array, levelDb: number | null, headMotion: number): void {
    const isAudible = levelDb !== null && levelDb > AUDIBLE_DB;
    if (isAudible && this.#quietTicks >= PAUSE_TICKS) this.#begin();
    this.#quietTicks = isAudible ? 0 : this.#quietTicks + 1;
    if (levelDb === null) for (const axis of AXES) this.#target[axis] = 0;
    for (const axis of AXES) {
      this.#speed[axis] = DAMPING * this.#speed[axis] + EAGERNESS * (this.#target[axis] - this.#at[axis]);
      this.#at[axis] += this.#speed[axis];
      pose[FACE_PARAMETER_INDEX[axis]] += headMotion * this.#at[axis];
    }
  }

  /** Returns what brings the posture back to now. */
  remember(): () => void {
    const [at, speed, target] = [{ ...this.#at }, { ...this.#speed }, { ...this.#target }];
    const [phrases, quietTicks] = [this.#phrases, this.#quietTicks];
    return () => {
      Object.assign(this.#at, at);
      Object.assign(this.#speed, speed);
      Object.assign(this.#target, target);
      [this.#phrases, this.#quietTicks] = [phrases, quietTicks];
    };
  }

  #begin(): void {
    this.#phrases += 1;
    AXES.forEach((axis, index) => {
      this.#target[axis] = (hashUnit(this.#seed, STREAM + index, this.#phrases) * 2 - 1) * REACH[axis];
    });
  }
}
