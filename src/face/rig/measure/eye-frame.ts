// One eye in its own coordinates, and how its lid closes.

import { type Curve, pchip } from "../../../signal/math/pchip.ts";
import {
  centroid,
  type EyePoints,
  type FacePoints,
  type Point,
  pointAt,
  pointsAt,
} from "../../portrait/face-points.ts";
import { LocalFrame } from "./local-frame.ts";

/** All lengths in units of half the eye's width. */
export interface EyeFrame {
  frame: LocalFrame;
  /** Lid margins of the open eye: v as a function of u. */
  upper: Curve;
  lower: Curve;
  /** Height of the skin above the upper margin that unfolds as the lid closes, by u; skin above it does not move. */
  lidReach: Curve;
  /** Share of the opening that a closing lid covers: 1, or less where a shut eye could not be rendered well; 0 where
   *  no eye is seen. */
  lidTravel: number;
  browCentre: Point;
  /** Share of the brow movement that is rendered. */
  browShare: number;
  /** Calls `visit` for every pixel of a region within `reach` of the eye's middle along u and twice that along v, with
   *  its place in the region's data and in the eye's frame. */
  forEachPixelWithin(reach: number, regionPx: number, visit: (at: number, u: number, v: number) => void): void;
}

/** A band of lashes above the margin that moves with it unstretched, and its largest share of the lid's height. */
const LASH_BAND = 0.14;
const LASH_BAND_SHARE = 0.4;
/** Limits of the lid skin's height. */
const LEAST_REACH = 0.18;
const MOST_REACH = 1;
/** Share of the way up to the brow's hair that unfolds. */
const BELOW_BROW = 0.85;
/** How far a lid rises: at most so much, and at most this share of the skin's height. */
const MOST_RAISE = 0.21;
const RAISED_SHARE = 0.42;
/** |u| at which the skin's height is taken. */
const REACH_COLUMNS = [-1.2, -0.8, -0.4, 0, 0.4, 0.8, 1.2];

/** Throws RangeError if the eye's corners coincide. */
export function createEyeFrame(points: FacePoints, eye: EyePoints): EyeFrame {
  const frame = new LocalFrame(pointAt(points, eye.upper[0]), pointAt(points, eye.upper[eye.upper.length - 1]));
  const upper = frame.curve(pointsAt(points, eye.upper));
  const browCentre = centroid(pointsAt(points, eye.brow));
  const browEdge = frame.curve(pointsAt(points, eye.browUnderside));
  return {
    frame,
    upper,
    lower: frame.curve(pointsAt(points, eye.lower)),
    lidReach: reachCurve((u) => BELOW_BROW * (upper(u) - browEdge(u))),
    lidTravel: 1,
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

/** A smooth height of lid skin from one that is known column by column, within the limits. */
export function reachCurve(reachAt: Curve): Curve {
  return pchip(
    REACH_COLUMNS,
    REACH_COLUMNS.map((u) => clampTo(reachAt(u), LEAST_REACH, MOST_REACH)),
  );
}

/** Distance between the margins at u, 0 beyond the corners. */
export function eyeOpening(eye: EyeFrame, u: number): number {
  return Math.abs(u) < 1 ? Math.max(eye.lower(u) - eye.upper(u), 0) : 0;
}

/** How far the upper margin comes down at u in a full blink. */
export function lidTravelAt(eye: EyeFrame, u: number): number {
  return eye.lidTravel * eyeOpening(eye, u);
}

/** How far above (u, v) the photo has the skin that is visible there at this closure: photo v = v − result. `closure` 0
 *  open .. 1 closed. In closed form, so that rendering needs no iteration: below the brow the shift grows with the
 *  distance as a power that keeps the order of the points, and near the margin it is rigid. */
export function lidShift(eye: EyeFrame, u: number, v: number, closure: number): number {
  const travel = closure * lidTravelAt(eye, u);
  if (travel <= 0) return 0;
  const reach = eye.lidReach(u);
  const top = eye.upper(u) - reach;
  const unfolded = reach - Math.min(LASH_BAND, LASH_BAND_SHARE * reach) + travel;
  const t = Math.min(1, Math.max(0, (v - top) / unfolded));
  // Slope of the shift at the margin is exponent × travel / unfolded: below 1, or skin would fold over itself.
  const exponent = Math.min(1.6, (0.9 * unfolded) / travel);
  return travel * t ** exponent;
}

/** How far below (u, v) the photo has the skin that is visible there once the lid is raised: photo v = v + result. It
 *  is folded together between the margin and the brow. */
export function raisedLidShift(eye: EyeFrame, u: number, v: number): number {
  const rise = raisedBy(eye, u);
  if (rise <= 0) return 0;
  const reach = eye.lidReach(u);
  // From the raised margin up to where skin does not move; below the margin it moves as a whole, with the lashes.
  const t = clampTo((v - (eye.upper(u) - reach)) / (reach - rise), 0, 1);
  return rise * t ** 1.5;
}

/** How far the upper margin rises at u when the lid is raised. */
export function raisedBy(eye: EyeFrame, u: number): number {
  const shape = Math.max(0, 1 - u ** 2) ** 0.5;
  return eye.lidTravel * shape * Math.min(MOST_RAISE, RAISED_SHARE * eye.lidReach(u));
}

/** Where the skin at (u, v) of the photo is seen once the lid is shut: the inverse of `lidShift` at closure 1. */
export function shutPlace(eye: EyeFrame, u: number, v: number): number {
  let [low, high] = [v, v + lidTravelAt(eye, u)];
  for (let step = 0; step < 9 && high > low; step++) {
    const middle = (low + high) / 2;
    if (middle - lidShift(eye, u, middle, 1) < v) low = middle;
    else high = middle;
  }
  return high;
}

/** `value`, limited to `low`..`high`. */
export function clampTo(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
