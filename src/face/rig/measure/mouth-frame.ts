// The mouth in its own coordinates: lip contours as curves, and the positions of nose and chin.

import type { Curve } from "../../../signal/math/pchip.ts";
import {
  BELOW_NOSE,
  CHIN,
  type FacePoints,
  INNER_MOUTH_CORNERS,
  JAW_ANGLES,
  LOWER_LIP_INNER,
  MOUTH_CORNERS,
  pointAt,
  pointsAt,
  UPPER_LIP_INNER,
} from "../../portrait/face-points.ts";
import { LOWER_LIP_OUTER, UPPER_LIP_OUTER } from "../../portrait/mesh-points.ts";
import { LocalFrame } from "./local-frame.ts";

/** Share of the gap between parted lips that the upper lip covers when the mouth closes; the lower lip covers the
 *  rest. */
export const UPPER_LIP_SHARE = 0.4;

/** All lengths in units of half the mouth's width. */
export interface MouthFrame {
  frame: LocalFrame;
  /** Inner and outer contours of the lips: v as a function of u. */
  innerUpper: Curve;
  innerLower: Curve;
  outerUpper: Curve;
  outerLower: Curve;
  /** |u| of the inner mouth corners. */
  innerHalfWidth: number;
  /** v of the base of the nose (negative) and of the chin. */
  noseV: number;
  chinV: number;
  /** |u| of the jaw's angles, the wider side. */
  jawHalfWidth: number;
  /** Largest gap between the lips in the photo. */
  maxGap: number;
}

/** Where the closed lips meet at u. */
export function seamV(mouth: MouthFrame, u: number): number {
  const upper = mouth.innerUpper(u);
  return upper + UPPER_LIP_SHARE * Math.max(mouth.innerLower(u) - upper, 0);
}

/** Throws RangeError if the mouth's corners coincide. */
export function createMouthFrame(points: FacePoints): MouthFrame {
  const corners = pointsAt(points, MOUTH_CORNERS);
  const frame = new LocalFrame(corners[0], corners[1]);
  const uOf = (index: number) => Math.abs(frame.u(points[3 * index], points[3 * index + 1]));
  const vOf = (index: number) => {
    const { x, y } = pointAt(points, index);
    return frame.v(x, y);
  };
  const innerUpper = frame.curve([...corners, ...pointsAt(points, UPPER_LIP_INNER)]);
  const innerLower = frame.curve([...corners, ...pointsAt(points, LOWER_LIP_INNER)]);
  let maxGap = 0;
  for (let u = -1; u <= 1; u += 0.01) maxGap = Math.max(maxGap, innerLower(u) - innerUpper(u));
  return {
    frame,
    innerUpper,
    innerLower,
    outerUpper: frame.curve(pointsAt(points, UPPER_LIP_OUTER)),
    outerLower: frame.curve(pointsAt(points, LOWER_LIP_OUTER)),
    innerHalfWidth: (uOf(INNER_MOUTH_CORNERS[0]) + uOf(INNER_MOUTH_CORNERS[1])) / 2,
    noseV: vOf(BELOW_NOSE),
    chinV: vOf(CHIN),
    jawHalfWidth: Math.max(uOf(JAW_ANGLES[0]), uOf(JAW_ANGLES[1])),
    maxGap,
  };
}
