// Groups of the 478 face points. Numbers: the 468-point MediaPipe face mesh followed by ten iris points.
// Left and right are as seen in the image. What finding a face needs as well lies in src/face/portrait/mesh-points.ts.
import { FACE_OVAL, LEFT_IRIS, RIGHT_IRIS } from "./mesh-points.ts";

/** Face points: float32 [478 × 3], x and y in pixels of an image, z in the same unit (smaller is nearer). The iris
 *  points (468 on) may be missing. */
export type FacePoints = Float32Array;

export interface Point {
  x: number;
  y: number;
}

export const UPPER_LIP_INNER = [78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308];
export const LOWER_LIP_INNER = [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308];
export const MOUTH_CORNERS = [61, 291] as const;
export const INNER_MOUTH_CORNERS = [78, 308] as const;

/** Points of one eye, from its left to its right corner in the image. */
export interface EyePoints {
  upper: readonly number[];
  lower: readonly number[];
  brow: readonly number[];
  browUnderside: readonly number[];
  iris: number;
}

export const LEFT_EYE: EyePoints = {
  upper: [33, 246, 161, 160, 159, 158, 157, 173, 133],
  lower: [33, 7, 163, 144, 145, 153, 154, 155, 133],
  brow: [70, 63, 105, 66, 107],
  browUnderside: [46, 53, 52, 65, 55],
  iris: LEFT_IRIS,
};
export const RIGHT_EYE: EyePoints = {
  upper: [362, 398, 384, 385, 386, 387, 388, 466, 263],
  lower: [362, 382, 381, 380, 374, 373, 390, 249, 263],
  brow: [336, 296, 334, 293, 300],
  browUnderside: [285, 295, 282, 283, 276],
  iris: RIGHT_IRIS,
};

export const BELOW_NOSE = 2;
export const CHIN = 152;
export const JAW_ANGLES = [58, 288] as const;

export function pointAt(points: FacePoints, index: number): Point {
  return { x: points[3 * index], y: points[3 * index + 1] };
}

export function pointsAt(points: FacePoints, indices: readonly number[]): Point[] {
  return indices.map((index) => pointAt(points, index));
}

/** Mean of some points. */
export function centroid(points: readonly Point[]): Point {
  const sum = points.reduce((total, point) => ({ x: total.x + point.x, y: total.y + point.y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}

/** Extent of the face oval in pixels. */
export interface FaceOval {
  centre: Point;
  widthPx: number;
  heightPx: number;
  bottomPx: number;
}

export function faceOval(points: FacePoints): FaceOval {
  const oval = pointsAt(points, FACE_OVAL);
  const left = Math.min(...oval.map((point) => point.x));
  const right = Math.max(...oval.map((point) => point.x));
  const top = Math.min(...oval.map((point) => point.y));
  const bottom = Math.max(...oval.map((point) => point.y));
  return {
    centre: { x: (left + right) / 2, y: (top + bottom) / 2 },
    widthPx: right - left,
    heightPx: bottom - top,
    bottomPx: bottom,
  };
}

/** The points after scaling about the pixel grid's corner and shifting: x' = (x + 0.5) scaleX − 0.5 − shiftX. z scales
 *  with x. */
export function mapPoints(
  points: FacePoints,
  map: { scaleX: number; scaleY: number; shiftX: number; shiftY: number },
): FacePoints {
  const mapped = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    mapped[i] = (points[i] + 0.5) * map.scaleX - 0.5 - map.shiftX;
    mapped[i + 1] = (points[i + 1] + 0.5) * map.scaleY - 0.5 - map.shiftY;
    mapped[i + 2] = points[i + 2] * map.scaleX;
  }
  return mapped;
}
