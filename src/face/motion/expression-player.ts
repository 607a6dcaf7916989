// Eases the face from one expression to the next, added to all other motion.
import { type Expression, isSameExpression, NEUTRAL } from "../../../shared/expressions.ts";
import {
  FACE_PARAMETER_COUNT,
  FACE_PARAMETER_INDEX,
  type FaceParameterName,
  toParameterVector,
} from "../../../shared/face-parameters.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { GESTURE_STEP_LIMITS } from "../gestures/speed-limits.ts";
import { expressionVector } from "./expression-poses.ts";
import { hashUnit } from "./smooth-noise.ts";
import { IS_SPEECH } from "./speech-parameters.ts";

/** Shortest and longest change in ticks of 40 ms: into surprise, into another expression, and back from one. */
const SURPRISE: Ticks = [4, 8];
const CHANGE: Ticks = [8, 16];
const RETURN: Ticks = [15, 30];
type Ticks = readonly [shortest: number, longest: number];
/** Steepest step of `smoothstep`, times its number of ticks. */
const STEEPEST = 1.5;
const STREAM = 71;

const LIMITS = toParameterVector(GESTURE_STEP_LIMITS);
/** Share of each parameter that stays while speech has the lips. Corners that are drawn far down make small openings
 *  look shut. */
const SPOKEN_SHARE = Float32Array.from(IS_SPEECH, (isSpeech) => (isSpeech ? 0 : 1));
SPOKEN_SHARE[FACE_PARAMETER_INDEX.cornersDown] = 0.5;
const IS_HEAD = new Uint8Array(FACE_PARAMETER_COUNT);
const HEAD: readonly FaceParameterName[] = ["yaw", "pitch", "roll", "tx", "ty"];
for (const name of HEAD) IS_HEAD[FACE_PARAMETER_INDEX[name]] = 1;

/** What may move with an expression. */
export interface ExpressiveParts {
  /** Strength of head motion, 0..1. */
  headMotion: number;
  /** Share of the lips that speech leaves, 0..1. */
  lips: number;
}

/** The expression of one face, one call per tick. Deterministic for a seed. */
export class ExpressionPlayer {
  readonly #seed: number;
  /** What is shown, or being eased into. */
  #expression: Expression;
  readonly #from = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #to: Float32Array;
  readonly #at: Float32Array;
  #ticks = 0;
  #ticksLeft = 0;
  #changes = 0;

  /** The face shows `first` from the start. */
  constructor(seed: number, first: Expression = NEUTRAL) {
    this.#seed = seed;
    this.#expression = first;
    this.#to = expressionVector(first);
    this.#at = this.#to.slice();
  }

  /** Adds a tick of the expression to `pose` (float32 [33]), and eases into `expression` if another one was shown. */
  addTo(pose: Float32Array, expression: Expression, { headMotion, lips }: ExpressiveParts): void {
    if (!isSameExpression(expression, this.#expression)) this.#change(expression);
    this.#step();
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) {
      const share = SPOKEN_SHARE[k] + (1 - SPOKEN_SHARE[k]) * lips;
      pose[k] += this.#at[k] * (IS_HEAD[k] ? headMotion : share);
    }
  }

  /** Returns what brings the face back to now. */
  remember(): () => void {
    const [from, to, at] = [this.#from.slice(), this.#to.slice(), this.#at.slice()];
    const [expression, ticks, ticksLeft, changes] = [this.#expression, this.#ticks, this.#ticksLeft, this.#changes];
    return () => {
      this.#from.set(from);
      this.#to.set(to);
      this.#at.set(at);
      [this.#expression, this.#ticks, this.#ticksLeft, this.#changes] = [expression, ticks, ticksLeft, changes];
    };
  }

  #change(expression: Expression): void {
    const [shortest, longest] = rangeOf(this.#expression, expression);
    this.#expression = expression;
    this.#from.set(this.#at);
    this.#to.set(expressionVector(expression));
    this.#changes += 1;
    const drawn = shortest + Math.floor((longest - shortest + 1) * hashUnit(this.#seed, STREAM, this.#changes));
    let needed = drawn;
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) {
      if (LIMITS[k] > 0) needed = Math.max(needed, (STEEPEST * Math.abs(this.#to[k] - this.#from[k])) / LIMITS[k]);
    }
    this.#ticks = Math.min(longest, Math.ceil(needed));
    this.#ticksLeft = this.#ticks;
  }

  /** A change that is too large for its time ends a little later, because no parameter exceeds its step. */
  #step(): void {
    this.#ticksLeft = Math.max(0, this.#ticksLeft - 1);
    const share = this.#ticks === 0 ? 1 : smoothstep(1 - this.#ticksLeft / this.#ticks);
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) {
      const step = this.#from[k] + share * (this.#to[k] - this.#from[k]) - this.#at[k];
      this.#at[k] += Math.min(LIMITS[k], Math.max(-LIMITS[k], step));
    }
  }
}

function rangeOf(from: Expression, to: Expression): Ticks {
  const isBack = strengthOf(to) === 0 || (to.emotion === from.emotion && to.intensity < from.intensity);
  if (isBack) return RETURN;
  return to.emotion === "surprised" ? SURPRISE : CHANGE;
}

function strengthOf({ emotion, intensity }: Expression): number {
  return emotion === "neutral" ? 0 : intensity;
}
