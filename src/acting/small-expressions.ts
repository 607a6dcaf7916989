// What crosses a face that thinks of something else: the trace of a smile, a lifted brow, lips pressed together. A function of seed and time.
import type { FacePose } from "../../shared/face-parameters.ts";
import { hashUnit, smoothStep } from "./smooth-noise.ts";

/** One expression falls into each slot, at a random place. */
const SLOT_MS = 6500;
const SHORTEST_MS = 1100;
const LONGEST_MS = 2600;
/** Share of an expression's time in which it comes, and in which it goes. */
const RISE = 0.3;
const FALL = 0.45;
const STREAM = 41;

/** An expression at full strength. What the mouth does is kept apart: speech needs the mouth. */
interface Expression {
  mouth: FacePose;
  upperFace: FacePose;
}

const EXPRESSIONS: readonly Expression[] = [
  { mouth: { smile: 0.22, wide: 0.06 }, upperFace: { blinkL: 0.07, blinkR: 0.07 } },
  { mouth: {}, upperFace: { brow: 0.32 } },
  { mouth: { rollU: 0.2, rollL: 0.24 }, upperFace: { brow: -0.06 } },
  { mouth: { smile: 0.14 }, upperFace: { brow: 0.16 } },
  { mouth: {}, upperFace: { blinkL: 0.13, blinkR: 0.13, brow: -0.14 } },
];

/** The small expression of a moment (ms ≥ 0). `speaking` 0..1: a mouth that speaks takes no part. */
export function smallExpressionAt(seed: number, timeMs: number, speaking: number): FacePose {
  const slot = Math.floor(timeMs / SLOT_MS);
  const lengthMs = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * hashUnit(seed, STREAM, slot);
  const startMs = slot * SLOT_MS + (SLOT_MS - lengthMs) * hashUnit(seed, STREAM + 1, slot);
  const share = (timeMs - startMs) / lengthMs;
  const strength =
    smoothStep(0, RISE, share) * smoothStep(1, 1 - FALL, share) * (0.5 + 0.5 * hashUnit(seed, STREAM + 2, slot));
  const { mouth, upperFace } = EXPRESSIONS[Math.floor(hashUnit(seed, STREAM + 3, slot) * EXPRESSIONS.length)];
  return { ...scaled(mouth, strength * (1 - speaking)), ...scaled(upperFace, strength) };
}

function scaled(pose: FacePose, factor: number): FacePose {
  return Object.fromEntries(Object.entries(pose).map(([name, value]) => [name, value * factor]));
}
