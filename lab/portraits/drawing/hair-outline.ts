// What hair styles are put together from.
import type { FacePoint } from "./hair-lock.ts";

/** Layers of one head of hair: behind neck and head, shadow on the face, over the face. SVG text. */
export interface HairLayers {
  back: string;
  shadow: string;
  front: string;
}

/** The same points on the other side of the face. */
export const mirrored = (points: readonly FacePoint[]): FacePoint[] => points.map(([u, v]) => [-u, v] as const);

/** A right half (top to bottom) as a closed outline of both sides. Points on the middle line count once: twice would
 *  make a kink. */
export const bothSides = (right: readonly FacePoint[]): FacePoint[] => [
  ...right,
  ...mirrored(right.filter(([u]) => u !== 0)).reverse(),
];

/** Outline of hair lying on the skull down to the ears. */
export const SKULL: FacePoint[] = [
  [0, -0.27],
  [0.45, -0.245],
  [0.85, -0.14],
  [1.1, 0.05],
  [1.1, 0.2],
  [1.0, 0.34],
  [0.7, 0.36],
];

/** A guide line through face points. */
export function along(...points: FacePoint[]): FacePoint[] {
  return points;
}
