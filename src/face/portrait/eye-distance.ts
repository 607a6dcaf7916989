// The unit of measures on a face.
import { LEFT_EYE_CORNERS, RIGHT_EYE_CORNERS } from "./mesh-points.ts";

/** Distance between the middles of the two eyes in the image plane, px. `points`: x, y, z of the mesh. */
export function eyeDistance(points: Float32Array): number {
  const middle = (axis: number, [first, second]: readonly [number, number]): number =>
    (points[3 * first + axis] + points[3 * second + axis]) / 2;
  const along = (axis: number): number => middle(axis, RIGHT_EYE_CORNERS) - middle(axis, LEFT_EYE_CORNERS);
  return Math.hypot(along(0), along(1));
}
