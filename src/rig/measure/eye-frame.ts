// One eye in its own coordinates, and how its lid closes.

import { centroid, type EyePoints, type FacePoints, type Point, pointAt, pointsAt } from "../../face/face-points.ts";
import type { Curve } from "../../math/pchip.ts";
import { LocalFrame } from "./local-frame.ts";

/** All lengths in units of half the eye's width. */
export interface EyeFrame {
  frame: LocalFrame;
  /** Lid margins of the open eye: v as a function of u. */
  upper: Curve;
  lower: Curve;
  /** Height of the skin above the upper margin that unfolds as the lid closes; skin above it does not move. */
  lidReach: number;
  /** How far below the lower margin the skin moves in a blink. */
  squeezeReach: number;
  browCentre: Point;
  /** Share of the brow movement that is rendered. */
  browShare: number;
  /** Calls `visit` for every pixel of a region within `reach` of the eye's middle along u and twice that along v, with
   *  its place in the region's data and in the eye's frame. */
  forEachPixelWithin(reach: number, regionPx: number, visit: (at: number, u: number, v: number) => void): void;
}

/** A band of lashes above the margin that moves with it unstretched. */
const LASH_BAND = 0.14;
/** The closed lid reaches a little past the marked lower margin, so that the white of the eye is hidden everywhere. */
const CLOSED_SHARE = 1.05;
/** Limits of the lid skin's height: enough to unfold, and far enough from the brow. */
const LEAST_REACH = 0.35;
const MOST_REACH = 1.05;

const SQUEEZE_REACH = 1.5;

/** Throws RangeError if the eye's corners coincide. */
export function createEyeFrame(points: FacePoints, eye: EyePoints): EyeFrame {
  const frame = new LocalFrame(pointAt(points, eye.upper[0]), pointAt(points, eye.upper[eye.upper.length - 1]));
  const upper = frame.curve(pointsAt(points, eye.upper));
  const browCentre = centroid(pointsAt(points, eye.brow));
  const browDistance = Math.abs(frame.v(browCentre.x, browCentre.y) - upper(0));
  return {
    frame,
    upper,
    lower: frame.curve(pointsAt(points, eye.lower)),
    lidReach: clampTo(0.8 * browDistance, LEAST_REACH, MOST_REACH),
    squeezeReach: SQUEEZE_REACH,
    browCentre,
    browShare: 1,
    forEachPixelWithin(reach, regionPx, visit) {
      const reachPx = Math.hypot(reach, 2 * reach) * frame.unitPx;
      const from = (centre: number) => Math.max(0, Math.floor(centre - reachPx));
      const to = (centre: number) => Math.min(regionPx - 1, Math.ceil(centre + reachPx));
      for (let y = from(frame.centre.y); y <= to(frame.centre.y); y++) {
        for (let x = from(frame.centre.x); x <= to(frame.centre.x); x++) {
          const u = frame.u(x, y);
          const v = frame.v(x, y);
          if (Math.abs(u) < reach && Math.abs(v) < 2 * reach) visit(y * regionPx + x, u, v);
        }
      }
    },
  };
}

/** Distance between the margins at u, 0 beyond the corners. */
export function eyeOpening(eye: EyeFrame, u: number): number {
  return Math.abs(u) < 1 ? Math.max(eye.lower(u) - eye.upper(u), 0) : 0;
}

/** How far above (u, v) the photo has the skin that is visible there at this closure: photo v = v − result. `closure` 0
 *  open .. 1 closed. In closed form, so that rendering needs no iteration: below the brow the shift grows with the
 *  distance as a power that keeps the order of the points, and near the margin it is rigid. */
export function lidShift(eye: EyeFrame, u: number, v: number, closure: number): number {
  const travel = CLOSED_SHARE * closure * eyeOpening(eye, u);
  if (travel <= 0) return 0;
  const top = eye.upper(u) - eye.lidReach;
  const unfolded = eye.lidReach - LASH_BAND + travel;
  const t = Math.min(1, Math.max(0, (v - top) / unfolded));
  // Slope of the shift at the margin is exponent × travel / unfolded: below 1, or skin would fold over itself.
  const exponent = Math.min(1.6, (0.9 * unfolded) / travel);
  return travel * t ** exponent;
}

/** `value`, limited to `low`..`high`. */
export function clampTo(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
