// Small idle expressions: a slight smile, a raised brow, lips pressed together. A function of seed and time.
import { type FacePose, toParameterVector } from "../../../shared/face-parameters.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { hashUnit } from "./smooth-noise.ts";

/** Length of a slot. Each slot holds one expression at a random time. */
const SLOT_MS = 6500;
const SHORTEST_MS = 1100;
const LONGEST_MS = 2600;
/** Shares of an expression's duration for fading in and for fading out. */
const RISE = 0.3;
const FALL = 0.45;
const STREAM = 41;

/** An expression at full strength. The mouth's part is separate, because it fades out during speech. */
interface Expression {
  mouth: Float32Array;
  upperFace: Float32Array;
}

function expression(mouth: FacePose, upperFace: FacePose): Expression {
  return { mouth: toParameterVector(mouth), upperFace: toParameterVector(upperFace) };
}

const EXPRESSIONS: readonly Expression[] = [
  expression({ smile: 0.22, wide: 0.06 }, { blinkL: 0.07, blinkR: 0.07 }),
  expression({}, { brow: 0.32 }),
  expression({ rollU: 0.2, rollL: 0.24 }, { brow: -0.06 }),
  expression({ smile: 0.14 }, { brow: 0.16 }),
  expression({}, { blinkL: 0.13, blinkR: 0.13, brow: -0.14 }),
];

/** Adds the small expression at a time (ms ≥ 0) to a pose. `speaking` 0..1 fades out the mouth's part, `life` scales
 *  all of it. */
export function addSmallExpression(
  pose: Float32Array,
  seed: number,
  timeMs: number,
  { speaking, life }: { speaking: number; life: number },
): void {
  const slot = Math.floor(timeMs / SLOT_MS);
  const lengthMs = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * hashUnit(seed, STREAM, slot);
  const startMs = slot * SLOT_MS + (SLOT_MS - lengthMs) * hashUnit(seed, STREAM + 1, slot);
  const share = (timeMs - startMs) / lengthMs;
  const strength =
    life * smoothstep(share, 0, RISE) * smoothstep(share, 1, 1 - FALL) * (0.5 + 0.5 * hashUnit(seed, STREAM + 2, slot));
  const { mouth, upperFace } = EXPRESSIONS[Math.floor(hashUnit(seed, STREAM + 3, slot) * EXPRESSIONS.length)];
  const mouthStrength = strength * (1 - speaking);
  for (let k = 0; k < pose.length; k++) pose[k] += mouthStrength * mouth[k] + strength * upperFace[k];
}
